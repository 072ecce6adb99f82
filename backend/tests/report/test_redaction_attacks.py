"""Awkward statements and messages: no literal and no password of them stays, identifiers do."""

# ruff: noqa: E501  (a statement is a line)
from __future__ import annotations

import re

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from pileup.report.redaction.redactor import IS_TOKEN, KINDS, Redactor

KEY = b"k" * 32
SECRET = re.compile(
    r"S3cr3t\w*|5500005555555559|88812345|4711888\b|998877665|99887766\.55|1234567\b|4915112345678"
    r"|DE8937\w+|53336372\w*|0101011|11010111|5551234"
)

PASSWORDS = [
    "2026-11-20 app connecting to mysql://svc:S3cr3tPw@db-7.corp:3306/shop",
    "Server=db-7;Database=shop;Uid=svc;Pwd=S3cr3tPw2;",
    "jdbc:mysql://db-7:3306/shop?user=svc&password=S3cr3tPw3&useSSL=false",
    "new PDO('mysql:host=db-7;dbname=shop', 'svc', 'S3cr3tPw4')",
    "svc:S3cr3tPw5@tcp(db-7:3306)/shop?parseTime=true",
    "mysql -h db-7 -u svc -pS3cr3tPw6 shop",
    "mysqldump --password='S3cr3tPw7' --user=svc shop",
    "CREATE USER 'svc'@'%' IDENTIFIED BY 'S3cr3tCu'",
    "CREATE USER svc IDENTIFIED WITH mysql_native_password AS '*S3cr3tHash'",
    "CREATE USER svc IDENTIFIED BY PASSWORD '*S3cr3tHash2' REQUIRE SSL",
    "ALTER USER USER() IDENTIFIED BY 'S3cr3tAu' REPLACE 'S3cr3tOld'",
    "ALTER USER x IDENTIFIED BY 'S3cr3tCutPw",
    "CHANGE MASTER TO MASTER_HOST='db-9', MASTER_USER='repl', MASTER_PASSWORD='S3cr3tMp'",
    "CHANGE REPLICATION SOURCE TO SOURCE_PASSWORD = \"S3cr3tSp\", SOURCE_HOST='db-9'",
    "START REPLICA USER='repl' PASSWORD='S3cr3tStart'",
    "SET PASSWORD FOR 'u'@'h' = 'S3cr3tPp'",
    "SET PASSWORD = PASSWORD('S3cr3tPf')",
    "GRANT ALL ON *.* TO 'u'@'h' IDENTIFIED BY 'S3cr3tGr'",
    "CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (USER 'svc', PASSWORD 'S3cr3tSrv', HOST 'db')",
    "CREATE TABLE t_fed (id INT) ENGINE=FEDERATED CONNECTION='mysql://svc:S3cr3tFed@db-7:3306/shop/t'",
    '[client]\npassword=S3cr3tCnf\nmaster_password = "S3cr3tCnf2"\nssl_passphrase=S3cr3tCnf3\nwsrep_sst_auth=sst:S3cr3tCnf4\n',
    "SELECT AES_DECRYPT(col, 'S3cr3tAes'), ENCODE('a','S3cr3tEnc') FROM t_orders",
    "INSERT INTO t_orders VALUES (AES_ENCRYPT(CONCAT('a', b), 'S3cr3tAes2'))",
    "keyring_vault_token=S3cr3tKv  secret_mount_point=x\ntoken = S3cr3tKv2",
    "db:\n  password: S3cr3tYaml\n  dsn: svc:S3cr3tYaml2@tcp(db-7)/shop\n",
    "MYSQL_PWD=S3cr3tEnv MYSQL_ROOT_PASSWORD=S3cr3tEnv2 mysqld",
    "#0 /srv/app/Db.php(12): mysqli_connect('db-7', 'svc', 'S3cr3tPhp', 'shop')",
    "pymysql.connect(host='db-7', user='svc', password='S3cr3tPy')",
    "--master-user-password S3cr3tAws --db x",
    "Authorization: Bearer S3cr3tBearer.abc",
]
"""What holds a password: it goes from every export, redacted or not."""

LITERALS = [
    "SELECT /* a /* S3cr3t1 */ 1, 'S3cr3t2' FROM t_orders",
    "SELECT /*+ MAX_EXECUTION_TIME(1000) S3cr3tHint */ * FROM t_orders WHERE x='S3cr3tA'",
    "UPDATE t_orders SET a=x'53336372337431' WHERE b=0x5333637233743132",
    "UPDATE t_orders SET a=b'0101011', c=0b11010111 WHERE id=88812345",
    "INSERT INTO t_orders VALUES (N'S3cr3tN', n'S3cr3tn')",
    "INSERT INTO t_orders VALUES (_utf8'S3cr3tU', _latin1 'S3cr3tL', _utf8mb4\"S3cr3tM\")",
    'UPDATE "t_orders" SET "a" = "S3cr3tDq" WHERE "b" = \'x\'',
    "UPDATE t_orders SET a='it\\'s S3cr3tB' WHERE b=5",
    "UPDATE t_orders SET a='C:\\' , b='S3cr3tNb' WHERE c='S3cr3tNc'",
    "INSERT INTO t_orders VALUES ('path\\', 'S3cr3tX'), ('a','S3cr3tY')",
    'UPDATE t_orders SET a=\'it\'\'s S3cr3tD\' , b="say ""S3cr3tE"""',
    "UPDATE t_orders\nSET a='S3cr3tM1\nS3cr3tM2'\nWHERE b='S3cr3tM3'",
    "UPDATE t_orders SET a='S3cr3tCut",
    "UPDATE t_orders SET a='S3cr3tCut\\",
    "UPDATE t_orders SET a='S3cr3tCut\n---TRANSACTION 421, ACTIVE 5 sec\nMySQL thread id 7, query id 42 db-7 10.0.0.7 shop updating\nUPDATE t_b SET c='S3cr3tZ'",
    'UPDATE t_orders SET doc=\'{"name": "S3cr3tJ", "card": 5500005555555559, "x": [1,"S3cr3tK"]}\' WHERE id=1',
    'UPDATE t_orders SET doc="{\\"name\\": \\"S3cr3tJ\\"}" WHERE id=1',
    "UPDATE t_orders SET doc=JSON_SET(doc,'$.S3cr3tPath', 'S3cr3tV')",
    "SELECT 1 FROM t_orders -- ask jane.S3cr3t@corp.example +49 170 5551234\n",
    "SELECT 1 FROM t_orders # DE89370400440532013000 S3cr3tIban\nWHERE a=1",
    "/* caller: +1-555-010-S3cr3t */ SELECT 1 FROM t_orders",
    "UPDATE t_orders SET a='名前S3cr3t漢字' WHERE b=“S3cr3tCurly”",
    "SELECT * FROM t_orders WHERE a = '＇S3cr3tF＇'",
    "DO SLEEP(5) + 'S3cr3tDo55'",
    "SET @x = 'S3cr3tSet', @@session.sql_mode='ANSI_QUOTES'",
    "CALL proc_x('S3cr3tCall', 4915112345678)",
    "INSERT INTO t_orders VALUES ROW('S3cr3tRow',1), ROW('S3cr3tRow2',2)",
    "INSERT INTO t_orders (a) VALUES ('S3cr3tV1') ON DUPLICATE KEY UPDATE a='S3cr3tV2'",
    "LOAD DATA INFILE '/tmp/S3cr3t.csv' INTO TABLE t_orders FIELDS TERMINATED BY ','",
    "ERROR 1062: Duplicate entry 'S3cr3tDup14' for key 'PRIMARY'",
    "2026-11-20 22:19:47 12 [ERROR] Slave SQL: Error 'Duplicate entry 'S3cr3t-55' for key 'uk_mail'' on query. Default database: 'shop'. Query: 'INSERT INTO t_orders VALUES ('S3cr3tQ', 7)', Error_code: 1062",
    "Warning: Truncated incorrect DOUBLE value: 'S3cr3tTr'",
    "Incorrect string value: '\\xF0\\x9FS3cr3t' for column 'c_name' at row 1",
    "Could not execute Write_rows event on table shop.t_orders; Duplicate entry 'S3cr3tRe' for key 't_orders.uk', Error_code: 1062; handler error HA_ERR_FOUND_DUPP_KEY",
    "### WHERE\n###   @1=88812345\n###   @2='S3cr3tBin'\n",
    "WITH x AS (SELECT 'S3cr3tCte' c) SELECT * FROM x WHERE c IN ('S3cr3tIn', 4711888)",
    "EXPLAIN ANALYZE SELECT * FROM t_orders WHERE a='S3cr3tEx'",
    "SHOW TABLES LIKE 'S3cr3tShow%'",
    "REPLACE t_orders SET a='S3cr3tRep'",
    "update low_priority ignore t_orders as o join b on o.id=b.id set o.a='S3cr3tUp'",
    "SELECT /*!50001 'S3cr3tVc' */ 1 FROM t_orders",
    "SELECT 1 FROM t_orders /* S3cr3tUc",
    " 1: len 12; hex 5333637233743132; asc S3cr3tAsc   ;;",
    "MySQL thread id 390, OS thread handle 1, query id 4711 app-3.corp 10.0.0.7 svc_payroll updating\nUPDATE t_orders SET a='S3cr3tTl' WHERE id=5",
    "     Info: UPDATE t_orders SET a='S3cr3tG' WHERE b=1\n*************************** 2. row",
    "| 390 | svc_payroll | app-3:5123 | shop | Query | 5 | updating | UPDATE t_orders SET a='S3cr3tPipe' WHERE |",
    "2026-11-20T22:19:47Z 390 Query\tUPDATE t_orders SET a='S3cr3tGl'",
    "2026-11-20T22:19:47Z 390 Connect\tsvc_payroll@app-3.corp on shop using TCP/IP",
    '{"audit_record":{"command_class":"update","sqltext":"UPDATE t_orders SET a=\\"S3cr3tAj\\" WHERE b=\'S3cr3tAk\'","user":"svc_payroll[svc_payroll] @ app-3 [10.0.0.7]"}}',
    "connect from 2001:db8::dead:beef",
    "SELECT * FROM t_orders WHERE d BETWEEN '2026-01-01 S3cr3t' AND 998877665 AND phone LIKE '%5551234S3cr3t%'",
    "SELECT 'S3cr3t1' 'S3cr3t2' FROM t_orders",
    "UPDATE t_orders SET bal = bal - 99887766.55, x = -1234567 WHERE acct = 5500005555555559",
    "customer DE89370400440532013000 called",
    "CREATE TRIGGER trg BEFORE INSERT ON t_orders FOR EACH ROW SET NEW.a='S3cr3tTrg'",
    "SELECT CASE WHEN a='S3cr3tC1' THEN 'S3cr3tC2' ELSE 'S3cr3tC3' END FROM t_orders",
    "SELECT `t_orders`.`a` FROM `shop`.`t_orders` WHERE `a`='S3cr3tBt'",
    "XA START 'S3cr3tXa'",
    "BEGIN; UPDATE t_orders SET a='S3cr3tSemi;still'; COMMIT",
]
"""What holds literals: the names of tables (t_orders) stay."""


def left(text: str) -> list[str]:
    return SECRET.findall(IS_TOKEN.sub("", text))


def test_no_password_leaves_any_export() -> None:
    for text in PASSWORDS:
        assert left(Redactor((), b"").text(text, raw=True)) == [], text
        assert left(Redactor(KINDS, KEY).text(text)) == [], text


def test_no_literal_is_left_and_names_stay() -> None:
    for text in LITERALS:
        for raw in (True, False):
            done = Redactor(KINDS, KEY).text(text, raw=raw)
            assert left(done) == [], (text, raw, done)
            assert ("t_orders" in done) == ("t_orders" in text), (text, raw, done)


@settings(max_examples=40)
@example("UPDATE t_orders SET a='名前S3cr3t漢字' WHERE b=“S3cr3tCurly”", 17)
@given(st.sampled_from([text for text in LITERALS if SECRET.search(text)]), st.integers(1, 80))
def test_a_cut_statement_leaks_nothing_either(text: str, at: int) -> None:
    """InnoDB cuts a statement at 1024 bytes, a processlist at 100 characters: anywhere.

    Of a verb without the words behind it nothing is known: the cut is behind the first literal.
    """
    first = SECRET.search(text)
    assert first is not None
    cut = text[: first.end() + at]
    assume(left(Redactor(KINDS, KEY).text(text[: first.end()], raw=True)) == [])
    assert left(Redactor(KINDS, KEY).text(cut, raw=True)) == [], cut


def test_a_domain_goes_as_a_whole() -> None:
    """What is behind a known ending is the name of the company."""
    for text in ("at db-7.corp.acme it hung", "db-7.prod.internal.acme.example:3306"):
        assert "acme" not in Redactor(("hosts",), KEY).text(text), text
    assert Redactor(("hosts",), KEY).text("see mysql.com. Then").endswith(". Then")
