import sqlite3

from sqlgen import SqlWriter


def schema_of(cursor):
    cursor.execute("SELECT sql FROM sqlite_master WHERE type = 'table'")
    return "\n".join(row[0] for row in cursor.fetchall())


def answer(path, question):
    connection = sqlite3.connect(path)
    cursor = connection.cursor()
    writer = SqlWriter("SQLite")
    sql = writer.write(question, schema_of(cursor))
    cursor.execute(sql)
    rows = cursor.fetchall()
    connection.close()
    return rows
