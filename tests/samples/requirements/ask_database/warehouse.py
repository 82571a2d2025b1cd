import psycopg
from sqlalchemy import create_engine, text
from sqlgen import SqlWriter

SCHEMA = "sales(day date, region text, revenue numeric)"


def rows_for(question, dsn):
    writer = SqlWriter("PostgreSQL")
    query = writer.write(question, SCHEMA)
    if writer.confidence(question, query) < 0.5:
        raise RuntimeError(f"not sure enough of {query}")
    with psycopg.connect(dsn) as connection, connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 5000")
        cursor.execute(query)
        return cursor.fetchall()


def frame_for(question, url):
    """Whatever database the URL names."""
    writer = SqlWriter("standard SQL")
    engine = create_engine(url)
    with engine.connect() as connection:
        result = connection.execute(text(writer.write(question, SCHEMA)))
        return [dict(row._mapping) for row in result]
