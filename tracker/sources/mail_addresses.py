"""Mail addresses that people write where they do not belong: cut to their domain, so that none is ever stored; pure."""

import re

_MAIL = re.compile(r"[\w.+-]{1,64}(?=@[\w-]{1,63}(?:\.[\w-]{1,63})*\.[A-Za-z]{2,24}\b)")


def without_mail(text: str) -> str:
    """Return the text with every mail address cut to `@domain`."""
    return _MAIL.sub("", text)


def without_mails(payload: object) -> object:
    """Return decoded JSON with every mail address in its texts cut to `@domain`; names of fields stay."""
    match payload:
        case str():
            return without_mail(payload)
        case dict():
            return {name: without_mails(value) for name, value in payload.items()}
        case list():
            return [without_mails(value) for value in payload]
        case _:
            return payload
