import { Clock } from "./clock";

type Props = { text: string };

export default function Badge({ text }: Props) {
  const clock = new Clock();
  return <span title={String(clock.now())}>{text}</span>;
}
