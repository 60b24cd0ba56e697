"""Which values an attribute may have at all: its range, as ontologies call it.

"The server is down" and "the server is in Frankfurt" both say what the server *is*, and neither
contradicts the other, because only one of the two values is of the kind that the attribute has. So
a sentence gives an attribute a value only if the value lies in the range: a port is a number, a
deadline a moment, a dentist a person. What a value looks like is told by each language
(`english_ranges`, `mandarin_ranges`); which range an attribute has is told here.
"""

from __future__ import annotations

import re
from enum import StrEnum

from memstone.extraction.vocabulary import table, words


class Range(StrEnum):
    """A kind of value."""

    NUMBER = "number"
    MOMENT = "moment"
    PERSON = "person"
    PLACE = "place"
    NAME = "name"  # of a product, a company, a branch: proper names and identifiers
    WORD = "word"  # a quality: a colour, a status, a format


RANGES = {
    attribute: Range(kind)
    for attribute, kind in table(
        """
        number: age, height, weight, goal weight, shoe size, ring size, salary, income, budget,
        number: spending limit, limit, minimum, cap, quota, price, cost, rent, fee, rate, deposit,
        number: total, target, port, timeout, retry limit, retries, batch size, pool size,
        number: page size, team size, headcount, threshold, retention, retention period,
        number: interest rate, speed limit, concurrency, version, phone number, seat number,
        number: pin, door code, capacity, mileage, sprint length, address, shipping address, number
        moment: renewal date, expiry date, review date, check-in time, check-out time, birthday,
        moment: deadline, start date, end date, release date, launch date, exam date,
        moment: delivery date, wedding date, move-in date, date, time, day, when, start time,
        moment: meeting time, appointment, appointment time, schedule, departure, arrival,
        moment: opening, end
        person: owner, product owner, lead, tech lead, team lead, maintainer, manager, reviewer,
        person: contact, point of contact, doctor, dentist, landlord, roommate, supervisor,
        person: head teacher, coach, therapist, psychologist, trainer, tutor, vet, pediatrician,
        person: accountant, lawyer, babysitter, nanny, mentor, teacher, advisor, recruiter,
        person: hairdresser, barber, neighbour, neighbor, assistant, secretary, housekeeper,
        person: nickname, first name, last name, surname
        place: residence, office, desk, venue, location, hometown, meeting room, room, region
        name: employer, school, bank, gym, carrier, supplier, database, framework, editor, url,
        name: package manager, build tool, branch, main branch, host, hostname, server, domain,
        name: endpoint, namespace, codename, username, user name, handle, flight, train, license,
        name: licence, gateway, mascot, name, font, gate, seat, email, plate, car,
        name: operating system, browser, competitor, main competitor, provider, cloud provider,
        name: hosting provider, insurer, pharmacy, hotel, airline, bike, laptop, issue tracker,
        name: destination, currency, default currency, password, passcode, safe word, phone,
        name: courier, class, ci, ci system, build server, crm, erp, cms, wiki, chat app, hosting,
        name: orm, linter, formatter, test runner, bundler, message broker, search engine,
        name: password manager, mail client, payment provider,
        word: tone, theme, format, output format, language, default language,
        word: nationality, native language, blood type, log level, title, plan,
        word: major, frequency
        """
    ).items()
}
_SHAPES = {  # what a value must hold beside being in the range
    "email": re.compile(r"@"),
    "url": re.compile(r"[./]|localhost"),
    "endpoint": re.compile(r"[./_-]|localhost|\d"),
    "domain": re.compile(r"\.|localhost"),
    "phone number": re.compile(r"\d\D?\d\D?\d"),
}
OWNED = words(  # of a person: without anybody named, nobody knows whose it is
    """
    name nickname username surname handle age height weight birthday email
    """
) | {"first name", "last name", "user name", "phone number", "blood type"}


def range_of(attribute: str, subject: str) -> Range | None:
    """The range of an attribute; None if anything may be said of it. A person is called otherwise
    than a thing.

    >>> range_of("port", "api"), range_of("name", ""), range_of("mood", "")
    (<Range.NUMBER: 'number'>, <Range.PERSON: 'person'>, None)
    """
    if attribute == "name" and not subject:
        return Range.PERSON
    return RANGES.get(attribute)


def has_shape(attribute: str, value: str) -> bool:
    """Whether a value holds what every value of the attribute holds.

    >>> has_shape("email", "ana@example.org"), has_shape("email", "full")
    (True, False)
    """
    shape = _SHAPES.get(attribute)
    return shape is None or shape.search(value) is not None
