"""Personal numbers: Chinese resident identity numbers, bank cards, phone numbers, e-mail addresses.

Digits alone prove nothing: one random 16-digit number in ten passes the Luhn check. So an
identity number needs a province, a date of birth and its check character (GB 11643); a card an
issuer's prefix with a length that issuer uses, the Luhn check, and one of the groupings printed
on cards; both a border on either side, so that no piece of a longer number, a decimal or a hash
is taken. A number that its text calls an order or a tracking number is one. All input is folded
text.
"""

from __future__ import annotations

import re
from functools import cache

from memstone.redaction.findings import BANK_CARD, EMAIL, ID_NUMBER, PHONE, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# After no letter or digit (escapes in JSON aside), nor inside a decimal or a longer dashed number.
_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))(?<![0-9][.-])"
_STOP = r"(?![A-Za-z0-9])(?![.-][0-9])"

_IDENTITY = (
    rf"[1-9](?<={_START}[1-9])[0-9]{{5}}[ -]?(?:19|20)[0-9]{{2}}[ -]?[01][0-9][0-3][0-9][ -]?"
    rf"[0-9]{{3}}[0-9Xx]{_STOP}"
)
_CARD = (
    rf"[2-9](?<={_START}[2-9])(?:"
    r"[0-9]{3}(?P<gap>[ -])[0-9]{4}(?P=gap)[0-9]{4}(?P=gap)[0-9]{4}(?:(?P=gap)[0-9]{1,3})?"
    r"|[0-9]{3}[ -][0-9]{6}[ -][0-9]{4,5}"
    r"|[0-9]{5}[ -][0-9]{8,13}"
    rf"|[0-9]{{13,18}}){_STOP}"
)
_MOBILE = rf"1(?<={_START}1)[3-9][0-9](?P<gap>[ -]?)[0-9]{{4}}(?P=gap)[0-9]{{4}}{_STOP}"
_PHONE = (
    rf"{_MOBILE}"
    r"|\+[1-9][0-9 ().-]{8,20}[0-9](?![A-Za-z0-9])"
    rf"|\(?[2-9](?<![A-Za-z0-9][2-9])[0-9]{{2}}(?:\) ?|[ .-])[2-9][0-9]{{2}}[ .-][0-9]{{4}}{_STOP}"
    rf"|0(?<={_START}0)[1-9][0-9]{{1,2}}-[2-9][0-9]{{6,7}}{_STOP}"
)
# Begins where a name begins: else a megabyte without `@` would be read from every character.
_EMAIL = (
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9_%+-][A-Za-z0-9._%+-]{0,63}+@"
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}+)\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9])"
)
_ORDER = (
    r"(?:order|tracking|waybill|shipment|invoice|transaction|serial|isbn|snowflake|timestamp"
    r"|订单|訂單|单号|單號|运单|運單|快递|物流|流水|编号|編號|发票|序列)"
    r"[a-z号號码碼 ._-]{0,12}(?:[:=#是为]|is)?[ \"']{0,2}\Z"
)

# GB/T 2260: the provinces, first two digits of an identity number.
_PROVINCE_TEXT = (
    "11 12 13 14 15 21 22 23 31 32 33 34 35 36 37 41 42 43 44 45 46 50 51 52 53 54 "
    "61 62 63 64 65 71 81 82 83 91"
)
_PROVINCES = frozenset(_PROVINCE_TEXT.split())
_MONTH_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_CHECK_WEIGHTS = tuple(pow(2, power, 11) for power in range(17, -1, -1))  # GB 11643-1999, mod 11-2

# Issuer prefixes as (low, high, lengths); ISO/IEC 7812 ranges as the networks publish them.
_ISSUERS: tuple[tuple[int, int, frozenset[int]], ...] = (
    (4, 4, frozenset({16, 19})),  # Visa
    (51, 55, frozenset({16})),  # Mastercard
    (2221, 2720, frozenset({16})),
    (34, 34, frozenset({15})),  # American Express
    (37, 37, frozenset({15})),
    (62, 62, frozenset({16, 17, 18, 19})),  # UnionPay
    (81, 81, frozenset({16, 19})),
    (9558, 9558, frozenset({19})),  # ICBC debit cards older than the 62 prefix
    (6011, 6011, frozenset({16, 19})),  # Discover
    (644, 649, frozenset({16, 19})),
    (65, 65, frozenset({16, 19})),
    (3528, 3589, frozenset({16, 19})),  # JCB
    (300, 305, frozenset({14, 16})),  # Diners Club
    (36, 36, frozenset({14, 16})),
    (38, 39, frozenset({14, 16})),
    (2200, 2204, frozenset({16})),  # Mir
    (5018, 5038, frozenset({16, 19})),  # Maestro
    (6759, 6763, frozenset({16, 19})),
)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _overlapping(pattern: str, text: str) -> Iterator[re.Match[str]]:
    """Every match, also one that starts inside another: `2023 4111 1111 …` begins with a year."""
    search = _compiled(pattern).search
    match = search(text)
    while match:
        yield match
        match = search(text, match.start() + 1)


def is_identity_number(digits: str) -> bool:
    """Whether these 18 characters are a Chinese identity number: province, date, check character.

    >>> is_identity_number("11010519491231002X")
    True
    """
    if digits[:2] not in _PROVINCES:
        return False
    year, month, day = int(digits[6:10]), int(digits[10:12]), int(digits[12:14])
    if not (1 <= month <= 12 and 1 <= day <= _MONTH_DAYS[month - 1]):
        return False
    if month == 2 and day == 29 and (year % 4 or (year % 100 == 0 and year % 400)):
        return False
    values = [10 if digit in "Xx" else int(digit) for digit in digits]
    return sum(w * v for w, v in zip(_CHECK_WEIGHTS, values, strict=True)) % 11 == 1


def is_card_number(digits: str) -> bool:
    """Whether these digits have an issuer's prefix and length and pass the Luhn check.

    >>> is_card_number("4111111111111111")
    True
    """
    for low, high, lengths in _ISSUERS:
        if len(digits) in lengths and low <= int(digits[: len(str(low))]) <= high:
            return _passes_luhn(digits)
    return False


def _passes_luhn(digits: str) -> bool:
    doubled = sum(sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + doubled) % 10 == 0


def scan_identity_numbers(text: str) -> Iterator[Finding]:
    """Chinese resident identity numbers, also in groups (`110105 19491231 002X`)."""
    for match in _overlapping(_IDENTITY, text):
        if is_identity_number(match[0].replace(" ", "").replace("-", "")):
            yield Finding("cn_id", ID_NUMBER, *match.span())


def scan_cards(text: str) -> Iterator[Finding]:
    """Bank cards: plain digits, or in the groups printed on a card with spaces or dashes."""
    for match in _overlapping(_CARD, text):
        number = match[0]
        if not is_card_number(number.replace(" ", "").replace("-", "")):
            number = number[:19]  # 4 + 4 + 4 + 4; a group after it may be the security code
            if not (match["gap"] and is_card_number(number.replace(match["gap"], ""))):
                continue
        if not _is_called_an_order(text, match.start()):
            yield Finding("bank_card", BANK_CARD, match.start(), match.start() + len(number))


def _is_called_an_order(text: str, start: int) -> bool:
    return _compiled(_ORDER).search(text[max(0, start - 32) : start].lower()) is not None


def scan_phones(text: str) -> Iterator[Finding]:
    """Phone numbers: Chinese mobile and landline, +international, North American with marks."""
    for match in _compiled(_PHONE).finditer(text):
        if 10 <= sum(map(str.isdigit, match[0])) <= 15:
            yield Finding("phone", PHONE, *match.span())


def scan_emails(text: str) -> Iterator[Finding]:
    """E-mail addresses."""
    if "@" in text:
        for match in _compiled(_EMAIL).finditer(text):
            yield Finding("email", EMAIL, *match.span())


SCANNERS: tuple[tuple[str, Callable[[str], Iterator[Finding]]], ...] = (
    (ID_NUMBER, scan_identity_numbers),
    (BANK_CARD, scan_cards),
    (PHONE, scan_phones),
    (EMAIL, scan_emails),
)
