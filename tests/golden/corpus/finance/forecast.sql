---
access: finance
---
-- What next year costs.
SELECT sum(price) FROM parcels;
