"""The shapes of the documents: public formats, arguments of tools, answers of models.

They are split in two halves by a hash of their name. The half ``final`` is not to be looked at, nor
any figure of it, before the end of the work on the reader.
"""

from __future__ import annotations

import hashlib
from typing import Any

from knitbone_evals.documents.fields import (
    CITY,
    CLOCK,
    CODE,
    COMPANY,
    COUNT,
    DATE,
    EMAIL,
    FLAG,
    ID,
    KEY,
    LATITUDE,
    LONGITUDE,
    MOMENT,
    NAME,
    NULL,
    PARAGRAPH,
    PATH,
    PHONE,
    PRICE,
    SCALAR,
    SENTENCE,
    SHA,
    SHARE,
    TITLE,
    URL,
    UUID,
    VERSION,
    WORD,
    Draw,
    Field,
    coded,
    either,
    enum,
    fixed,
    integer,
    many,
    nullable,
    number,
    opt,
    rec,
    size,
    table,
    tree,
)  # fmt: skip

SMALLEST, LARGEST = 100, 20_000
"""Bytes of a document as compact JSON."""

_POINT = rec(type=enum("Point"), coordinates=fixed(LONGITUDE, LATITUDE))
_LINE = rec(type=enum("LineString"), coordinates=many(fixed(LONGITUDE, LATITUDE), 2, 5))
_PERSON = rec(name=NAME, email=opt(EMAIL), age=opt(integer(18, 99)))
_ADDRESS = rec(street=SENTENCE, city=CITY, zip=coded("#####"), country=enum("DE", "FR", "US", "JP"))
_MONEY = rec(amount=PRICE, currency=enum("EUR", "USD", "JPY", "PLN"))
_LINE_ITEM = rec(sku=coded("AA-####"), title=TITLE, quantity=integer(1, 20), price=PRICE)
_LABEL = rec(id=ID, name=WORD, color=coded("xxxxxx"), description=nullable(SENTENCE))
_USER = rec(login=WORD, id=ID, avatar_url=URL, site_admin=FLAG, closed=False)
_PARAMETER = rec(
    {"in": enum("query", "path", "header")}, name=WORD, required=opt(FLAG), description=opt(SENTENCE),
    schema=rec(type=enum("string", "integer", "boolean"), default=opt(SCALAR)),
)  # fmt: skip


def _call(name: str, **arguments: Field) -> Field:
    return rec(name=enum(name), arguments=rec(**arguments))


SHAPES: dict[str, Field] = {
    # public formats
    "package_json": rec(
        {"bin": opt(table(WORD, PATH))}, name=WORD, version=VERSION, description=SENTENCE,
        keywords=many(WORD), scripts=table(WORD, CODE), dependencies=table(WORD, coded("^#.##.#", checked=False)),
        author=either(NAME, _PERSON), private=opt(FLAG), license=enum("MIT", "Apache-2.0", "ISC"), closed=False,
    ),
    "geojson": rec(type=enum("FeatureCollection"), features=many(rec(
        type=enum("Feature"), id=opt(ID), geometry=either(_POINT, _LINE), properties=table(KEY, SCALAR)))),
    "openapi_path": rec(
        operationId=WORD, summary=SENTENCE, tags=many(WORD), parameters=many(_PARAMETER),
        responses=table(enum("200", "400", "404", "500"), rec(description=SENTENCE, content=opt(
            table(enum("application/json"), rec(example=SCALAR), 1, 1))))),
    "openapi_schema": rec(type=enum("object"), required=many(KEY, 0, 3), properties=table(KEY, rec(
        type=enum("string", "integer", "array"), format=opt(enum("date", "uuid")), example=opt(SCALAR),
        description=SENTENCE))),
    "github_issue": rec(
        url=URL, id=ID, number=COUNT, title=TITLE, user=_USER, labels=many(_LABEL, 0, 3), locked=FLAG,
        state=enum("open", "closed"), assignee=nullable(_USER), comments=COUNT, created_at=MOMENT,
        closed_at=nullable(MOMENT), body=nullable(PARAGRAPH), closed=False),
    "github_push": rec(ref=PATH, before=SHA, after=SHA, forced=FLAG, commits=many(rec(
        id=SHA, message=SENTENCE, timestamp=MOMENT, author=_PERSON, added=many(PATH, 0, 3),
        removed=many(PATH, 0, 2)))),
    "json_rpc_request": rec(jsonrpc=enum("2.0"), id=either(ID, UUID), method=enum("tools/call", "ping"),
        params=table(KEY, either(SCALAR, many(SCALAR, 0, 3)))),
    "json_rpc_error": rec(jsonrpc=enum("2.0"), id=nullable(ID), error=rec(
        code=integer(-32768, -32000), message=SENTENCE, data=many(SENTENCE))),
    "json_rpc_batch": many(rec(jsonrpc=enum("2.0"), id=ID, result=table(KEY, SCALAR)), 2, 5),
    "cloud_event": rec(specversion=enum("1.0"), type=enum("com.example.order.placed", "com.example.order.paid"), source=PATH,
        id=UUID, time=MOMENT, datacontenttype=enum("application/json"), subject=opt(TITLE),
        data=rec(order=ID, customer=NAME, items=many(_LINE_ITEM))),
    "vcard": fixed(enum("vcard"), many(fixed(enum("fn", "org", "note", "title"), table(KEY, WORD, 0, 2),
        enum("text"), either(NAME, COMPANY, SENTENCE)), 3, 6)),
    "invoice": rec(number=coded("AA-####"), issued=DATE, due=DATE, seller=COMPANY, buyer=_PERSON,
        address=_ADDRESS, lines=many(_LINE_ITEM), vat=SHARE, total=_MONEY, note=nullable(SENTENCE)),
    "log_lines": many(rec(ts=MOMENT, level=enum("debug", "info", "warn", "error"), logger=PATH,
        msg=SENTENCE, ctx=table(KEY, SCALAR, 0, 3)), 2, 5),
    "schema_org_product": rec({"@context": enum("https://schema.org"), "@type": enum("Product")},
        name=TITLE, description=PARAGRAPH, sku=coded("AAA###"), brand=COMPANY, offers=many(rec(
            {"@type": enum("Offer")}, price=PRICE, priceCurrency=enum("EUR", "USD"), url=URL))),
    "rss_feed": rec(version=enum("https://jsonfeed.org/version/1.1"), title=TITLE, home_page_url=URL,
        items=many(rec(id=UUID, url=URL, title=TITLE, content_text=PARAGRAPH, date_published=MOMENT,
                       tags=many(WORD, 0, 4)))),
    "jwt_claims": rec({"cognito:groups": many(WORD, 0, 3)}, iss=URL, sub=UUID, aud=either(URL, many(URL)),
        exp=ID, iat=ID, name=NAME, email=EMAIL, email_verified=FLAG, scope=SENTENCE),
    "docker_compose": rec(version=enum("3.8"), services=table(WORD, rec(image=WORD, command=CODE,
        ports=many(coded("####:##"), 0, 3), environment=table(KEY, WORD), depends_on=opt(many(WORD))))),
    "kubernetes_pod": rec(apiVersion=enum("v1"), kind=enum("Pod"), metadata=rec(
        name=WORD, labels=table(KEY, WORD)), spec=rec(restartPolicy=enum("Always", "Never"), containers=many(
            rec(name=WORD, image=WORD, args=many(CODE, 0, 3), ports=many(rec(containerPort=COUNT), 0, 2))))),
    "tsconfig": rec(compilerOptions=rec(target=enum("ES2020", "ESNext"), strict=FLAG, outDir=PATH,
        paths=table(WORD, many(PATH)), lib=many(WORD)), include=many(PATH), exclude=opt(many(PATH))),
    "har_entry": rec(startedDateTime=MOMENT, time=PRICE, request=rec(method=enum("GET", "POST"), url=URL,
        headers=many(rec(name=KEY, value=SENTENCE))), response=rec(status=enum(200, 301, 404, 500),
        statusText=WORD, content=rec(size=ID, mimeType=WORD, text=opt(PARAGRAPH)))),
    "sarif_result": rec(ruleId=coded("AA####"), level=enum("error", "warning", "note"), message=rec(
        text=SENTENCE), locations=many(rec(uri=PATH, startLine=COUNT, snippet=opt(CODE)))),
    "opentelemetry_span": rec(traceId=coded("x" * 32), spanId=coded("x" * 16), name=PATH, kind=integer(0, 5),
        attributes=many(rec(key=KEY, value=either(rec(stringValue=SENTENCE), rec(intValue=ID)))),
        status=rec(code=enum(0, 1, 2), message=opt(SENTENCE))),
    "notebook_cell": rec(cells=many(rec(cell_type=enum("code", "markdown"), source=many(either(CODE, SENTENCE)),
        metadata=table(KEY, FLAG, 0, 2), execution_count=nullable(COUNT))), nbformat=enum(4)),
    "slack_message": rec(channel=coded("C#######"), text=SENTENCE, blocks=many(rec(type=enum("section"),
        text=rec(type=enum("mrkdwn", "plain_text"), text=PARAGRAPH), emoji=opt(FLAG)))),
    "stripe_charge": rec(id=coded("ch_xxxxxxxx"), object=enum("charge"), amount=ID, currency=enum("eur", "usd"),
        paid=FLAG, customer=nullable(coded("cus_xxxx")), metadata=table(KEY, WORD, 0, 4), billing=_ADDRESS,
        description=nullable(SENTENCE), refunds=many(_MONEY, 0, 3)),
    "weather": rec(coord=rec(lon=LONGITUDE, lat=LATITUDE), name=CITY, hourly=many(rec(dt=ID, temp=number(-30, 45, 1),
        humidity=COUNT, description=SENTENCE, wind=fixed(PRICE, COUNT)))),
    "mongodb_query": rec(collection=WORD, filter=table(enum("age", "city", "$or"), either(
        WORD, rec({"$gt": COUNT}), rec({"$in": many(WORD)}))), limit=COUNT, sort=table(KEY, enum(1, -1))),
    "elasticsearch_hits": rec(took=COUNT, timed_out=FLAG, hits=rec(total=ID, max_score=nullable(PRICE), hits=many(
        rec({"_id": UUID, "_score": PRICE, "_source": rec(title=TITLE, body=PARAGRAPH)})))),
    "matrix": many(many(number(-10, 10, 3), 3, 5), 3, 5),
    "translations": table(enum("en", "de", "fr", "ja", "ru", "ar"), table(KEY, SENTENCE, 2, 4), 2, 4),
    "activity_stream": rec({"@context": URL}, type=enum("Create", "Like"), actor=URL, published=MOMENT,
        object=rec(type=enum("Note"), content=PARAGRAPH, to=many(URL), tag=many(WORD, 0, 3), inReplyTo=nullable(URL))),
    "comment_tree": tree(lambda child: rec(author=NAME, text=SENTENCE, score=integer(-9, 99), replies=many(child, 0, 2)),
        rec(author=NAME, text=SENTENCE, score=COUNT, replies=many(NULL, 0, 0)), 3),
    "syntax_tree": tree(lambda child: rec(type=enum("call", "binary", "block"), op=opt(WORD), children=many(child, 1, 2)),
        rec(type=enum("name", "literal"), value=either(WORD, COUNT)), 4),
    # rows: flat records, which are written as XML and CSV as well
    "contact_row": rec(name=NAME, email=EMAIL, phone=PHONE, city=CITY, note=SENTENCE),
    "order_row": rec(id=ID, customer=NAME, product=TITLE, quantity=integer(1, 9), price=PRICE, ordered=DATE),
    "event_row": rec(title=TITLE, day=DATE, start=CLOCK, place=CITY, organizer=COMPANY, details=SENTENCE),
    "employee_row": rec(employee_id=coded("E####"), name=NAME, department=COMPANY, salary=PRICE, remote=FLAG, since=DATE),
    "review_row": rec(product=TITLE, stars=integer(1, 5), reviewer=NAME, verified=FLAG, text=PARAGRAPH),
    "city_row": rec(city=CITY, country=WORD, population=ID, latitude=LATITUDE, longitude=LONGITUDE, remark=SENTENCE),
    "transaction_row": rec(booked=DATE, text=SENTENCE, amount=number(-5000, 5000), balance=PRICE, account=coded("DE## #### ####")),
    "server_row": rec(host=WORD, ip=coded("10.#.##.#"), status=enum("up", "down"), load=PRICE, checked=MOMENT, message=SENTENCE),
    "book_row": rec(isbn=coded("978-#-###-#####"), title=TITLE, author=NAME, year=integer(1900, 2030), summary=SENTENCE),
    "ticket_row": rec(key=coded("KB-####"), summary=TITLE, status=enum("todo", "doing", "done"), assignee=NAME, description=PARAGRAPH),
    "measurement_row": rec(sensor=UUID, taken=MOMENT, value=number(-50, 50, 3), unit=enum("°C", "hPa", "%"), comment=SENTENCE),
    "command_row": rec(step=COUNT, command=CODE, directory=PATH, explanation=SENTENCE, dangerous=FLAG),
    # arguments of tools
    "call_weather": _call("get_weather", location=CITY, unit=enum("celsius", "fahrenheit"), days=integer(1, 10), note=SENTENCE),
    "call_email": _call("send_email", to=many(EMAIL), cc=opt(many(EMAIL, 0, 2)), subject=TITLE, body=PARAGRAPH, urgent=FLAG),
    "call_sql": _call("run_query", sql=CODE, parameters=many(SCALAR, 0, 4), database=WORD, explanation=SENTENCE),
    "call_search": _call("search_flights", origin=CITY, destination=CITY, depart=DATE, back=nullable(DATE),
        passengers=many(_PERSON), cabin=enum("economy", "business"), max_price=PRICE),
    "call_write_file": _call("write_file", path=PATH, content=either(CODE, PARAGRAPH), overwrite=FLAG, reason=SENTENCE),
    "call_calculate": _call("calculate_mortgage", principal=PRICE, rate=SHARE, years=integer(5, 40), extra=many(PRICE), memo=SENTENCE),
    "call_calendar": _call("create_event", title=TITLE, start=MOMENT, end=MOMENT, attendees=many(EMAIL), location=nullable(CITY)),
    "calls_parallel": many(rec(id=coded("call_xxxxxxxx"), type=enum("function"), function=rec(name=WORD,
        arguments=table(KEY, either(SCALAR, SENTENCE)))), 2, 4),
    "calls_http": _call("http_request", method=enum("GET", "PUT"), url=URL, headers=table(KEY, WORD), body=nullable(table(KEY, SCALAR))),
    "call_edit": _call("edit_file", path=PATH, edits=many(rec(line=COUNT, old=CODE, new=CODE)), commit=opt(SHA), message=SENTENCE),
    "call_python": _call("python", code=CODE, timeout=COUNT, packages=many(WORD, 0, 3), expected=SENTENCE),
    # answers of models
    "answer_sentiment": many(rec(text=SENTENCE, label=enum("positive", "negative", "neutral"), confidence=SHARE), 2, 5),
    "answer_entities": rec(entities=many(rec(text=either(NAME, CITY, COMPANY), type=enum("PER", "LOC", "ORG"),
        start=COUNT, end=COUNT)), summary=SENTENCE),
    "answer_quiz": rec(topic=TITLE, questions=many(rec(question=SENTENCE, options=fixed(WORD, WORD, WORD, WORD),
        answer=integer(0, 3), explanation=opt(SENTENCE)))),
    "answer_recipe": rec(name=TITLE, servings=integer(1, 8), vegan=FLAG, ingredients=many(rec(item=WORD,
        amount=either(COUNT, enum("a pinch", "½ cup", "to taste"))), 2, 5), steps=many(SENTENCE, 2, 5)),
    "answer_review": rec(verdict=enum("approve", "request changes"), score=integer(1, 10), issues=many(rec(
        file=PATH, line=nullable(COUNT), severity=enum("low", "high"), comment=SENTENCE, suggestion=opt(CODE)))),
    "answer_plan": rec(goal=SENTENCE, steps=many(rec(id=COUNT, action=SENTENCE, tool=nullable(WORD), done=FLAG, after=many(COUNT, 0, 2)))),
    "answer_reasoning": rec(thought=PARAGRAPH, action=WORD, action_input=table(KEY, SCALAR), confidence=SHARE),
    "answer_resume": rec(name=NAME, email=EMAIL, phone=PHONE, links=many(URL, 0, 3), skills=many(WORD, 2, 5), jobs=many(rec(
        company=COMPANY, title=TITLE, start=DATE, end=nullable(DATE), bullets=many(SENTENCE)))),
    "answer_strings": many(SENTENCE, 3, 8),
    "answer_graph": rec(nodes=many(rec(id=WORD, label=TITLE), 2, 4), edges=many(fixed(WORD, WORD, SHARE), 1, 4), directed=FLAG),
    "answer_dialogue": many(rec(role=enum("user", "assistant", "system"), content=PARAGRAPH), 2, 4),
}  # fmt: skip

HALVES = ("development", "final")


def half_of(name: str) -> str:
    """The half that a shape belongs to."""
    return HALVES[hashlib.sha256(name.encode()).digest()[0] % 2]


def names_of(half: str) -> list[str]:
    """The shapes of a half."""
    return [name for name in SHAPES if half_of(name) == half]


def keys_of(name: str) -> list[str] | None:
    """The keys of a flat record, ``None`` where the shape is another."""
    return SHAPES[name].schema["required"] if name.endswith("_row") else None


def value_of(name: str, rng: Draw) -> Any:
    """A value of a shape, of a size between the smallest and the largest."""
    rng.scale = 2 ** rng.uniform(-0.5, 3)
    for _ in range(40):
        value = SHAPES[name].draw(rng)
        if SMALLEST <= size(value) <= LARGEST:
            return value
        rng.scale *= 0.6 if size(value) > LARGEST else 1.3
    raise ValueError(f"no value of {name!r} between {SMALLEST} and {LARGEST} bytes")
