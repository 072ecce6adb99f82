-- what ran before the stall
SET SESSION innodb_lock_wait_timeout = 5;
BEGIN;
/* request 8f3a */ UPDATE accounts SET balance = balance - 10 WHERE id = 42;
INSERT INTO ledger (account, amount) VALUES (42, -10), (7, 10);
select sleep(10)\G
COMMIT;

alter table ledger
  add index by_account (account);
