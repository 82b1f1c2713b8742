def half(:
    return 1


def whole():
    return half()
