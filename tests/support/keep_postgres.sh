# A Postgres server in the folder $1 from the programs in $2, for as long as somebody holds the
# other end of standard input. Nobody holds it any more: the server ends, the folder goes.
#
# It answers every line: `start OPTIONS` with the server's process, `wait` once that has ended.

folder=$1
programs=$2
server=

"$programs/initdb" --pgdata "$folder/data" --username postgres --auth trust --encoding UTF8 \
    --locale C --no-sync --no-instructions > "$folder/log" 2>&1 < /dev/null
echo $?

while read -r word options; do
    case $word in
        start)
            # Split on purpose: options are words. shellcheck disable=SC2086
            "$programs/postgres" -D "$folder/data" -k "$folder" $options \
                >> "$folder/log" 2>&1 < /dev/null &
            server=$!
            echo "$server"
            ;;
        wait)
            wait "$server"
            server=
            echo ended
            ;;
    esac
done

if [ -n "$server" ]; then
    kill -QUIT "$server" 2> /dev/null
    wait "$server"
fi
rm -rf "$folder"
