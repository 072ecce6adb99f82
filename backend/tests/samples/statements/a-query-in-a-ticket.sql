SELECT p.id, p.name, ...
FROM players p
JOIN items i ON i.player_id = p.id
WHERE p.account = 'acme' AND i.kind IN (1, 2, 3)
  AND i.seen >= '2026-11-20 22:00:00'
ORDER BY i.seen DESC
LIMIT 50
