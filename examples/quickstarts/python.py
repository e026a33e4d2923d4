"""Buys the newest item ($0.01) with Python 3.9 or later alone; needs eip3009.py next to it.
export BASE_URL=... BUYER_PRIVATE_KEY=0x$(openssl rand -hex 32)   # play money: any key"""
import base64, http.client, json, os, sys, time, urllib.error, urllib.request, uuid
from eip3009 import buyer_key, sign_transfer  # Or, with pip install eth-account: Account.sign_typed_data.

def get(url, headers={}):
    try:
        return urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60)
    except urllib.error.HTTPError as answer:
        return answer

FILE = "purchase.json"  # Keeps the payment and its key until the outcome is known.
if not os.path.exists(FILE):
    url = os.environ.get("BASE_URL", "http://127.0.0.1:8402") + "/v1/latest"
    terms = json.loads(base64.b64decode(get(url).headers["PAYMENT-REQUIRED"]))
    payment = sign_transfer(terms, buyer_key(), amount_max=10_000)  # $0.01
    header = base64.b64encode(json.dumps(payment).encode()).decode()
    key = str(uuid.uuid4())  # Made once, and kept with the payment.
    json.dump([url, {"PAYMENT-SIGNATURE": header, "Idempotency-Key": key}], open(FILE, "w"))
purchase, error = json.load(open(FILE)), {"charged": None}
# Answer lost or 503: send the same payment again with the same key; a new signature may pay twice.
while error.get("charged", False) is None or error.get("retryable"):
    try:
        body = json.load(get(*purchase))
        error = body["error"] if isinstance(body.get("error"), dict) else {}
    except (OSError, ValueError, http.client.HTTPException):
        error = {"charged": None}
    time.sleep(3 if error else 0)
os.remove(FILE)
sys.exit(print(json.dumps(body, indent=2)) if body.get("success") else json.dumps(body))
