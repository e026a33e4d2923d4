#!/bin/sh
# Free calls, and what an unpaid call to a paid path answers. Needs curl and base64, no key.
# Run: BASE_URL=https://... sh curl.sh
base=${BASE_URL:-http://127.0.0.1:8402}

echo "# The newest index of the feed. Poll it about every 10 minutes; free calls are limited to 5 a minute."
curl -sS "$base/v1/index" && echo

echo "# The strongest moves of the last 24 hours."
curl -sS "$base/v1/pulse" && echo

echo "# An invented example of every paid answer."
curl -sS "$base/v1/sample" | cut -c1-600

echo "# A paid path without a payment answers 402. The body has the price for people."
curl -sS "$base/v1/signals?since=0" && echo

echo "# The header PAYMENT-REQUIRED has the terms to sign, in base64: amount in millionths of a dollar, token, receiver."
curl -sS -D - -o /dev/null "$base/v1/signals?since=0" |
  grep -i '^payment-required:' | cut -d' ' -f2 | tr -d '\r' | base64 -d | cut -c1-600 && echo

# To pay, sign these terms and send the same request with PAYMENT-SIGNATURE and an Idempotency-Key that you keep.
# Answer lost or 503: send the same payment again with the same key; a new signature may pay twice.
echo "# To buy: client.mjs, typescript.mjs or python.py, next to this file."
