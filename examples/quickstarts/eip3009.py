"""Signs a USDC transfer (EIP-3009) for an x402 payment, with Python 3.9 or later alone.

Keccak-256, secp256k1 with the nonces of RFC 6979 and a low s, and the hash of EIP-712. It is short and
slow (about 10 ms a signature), and its timing depends on the key: sign on a machine of your own. With
pip, eth-account does the same."""
import hashlib, hmac, os, re, sys, time

P = 2**256 - 2**32 - 977
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
     0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8)
USDC = {"eip155:8453": "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        "eip155:84532": "0x036cbd53842c5426634e7929541ec2318f3dcf7e"}


def keccak256(data):
    state, rate = [0] * 25, 136
    data += b"\x01" + b"\0" * (rate - 1 - len(data) % rate)
    data = data[:-1] + bytes([data[-1] | 0x80])
    for start in range(0, len(data), rate):
        for i in range(rate // 8):
            state[i] ^= int.from_bytes(data[start + 8 * i:start + 8 * i + 8], "little")
        permute(state)
    return b"".join(lane.to_bytes(8, "little") for lane in state[:4])


def permute(a):
    """Keccak-f[1600] on 25 lanes; lane (x, y) is at x + 5y."""
    rotate = lambda lane, by: (lane << by | lane >> (64 - by)) & (2**64 - 1)
    lfsr = 1
    for _ in range(24):
        column = [a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20] for x in range(5)]
        for i in range(25):
            a[i] ^= column[(i - 1) % 5] ^ rotate(column[(i + 1) % 5], 1)
        x, y, lane = 1, 0, a[1]
        for t in range(1, 25):
            x, y = y, (2 * x + 3 * y) % 5
            a[x + 5 * y], lane = rotate(lane, t * (t + 1) // 2 % 64), a[x + 5 * y]
        for row in range(0, 25, 5):
            r = a[row:row + 5]
            a[row:row + 5] = [r[x] ^ (~r[(x + 1) % 5] & r[(x + 2) % 5]) for x in range(5)]
        for j in range(7):
            if lfsr & 1:
                a[0] ^= 1 << (2**j - 1)
            lfsr = lfsr << 1 ^ (0x171 if lfsr & 0x80 else 0)


def add(p, q):
    if p is None or q is None:
        return p or q
    if p[0] == q[0] and p[1] != q[1]:
        return None
    slope = 3 * p[0] * p[0] * pow(2 * p[1], -1, P) if p == q else (q[1] - p[1]) * pow(q[0] - p[0], -1, P)
    x = (slope * slope - p[0] - q[0]) % P
    return x, (slope * (p[0] - x) - p[1]) % P


def multiply(k, point=G):
    result = None
    while k:
        if k & 1:
            result = add(result, point)
        point, k = add(point, point), k >> 1
    return result


def nonces(key, digest):
    """RFC 6979, with SHA-256."""
    seed = key.to_bytes(32, "big") + (int.from_bytes(digest, "big") % N).to_bytes(32, "big")
    mac = lambda k, data: hmac.new(k, data, hashlib.sha256).digest()
    k, v = b"\0" * 32, b"\1" * 32
    for byte in (b"\0", b"\1"):
        k = mac(k, v + byte + seed)
        v = mac(k, v)
    while True:
        v = mac(k, v)
        yield int.from_bytes(v, "big")
        k = mac(k, v + b"\0")
        v = mac(k, v)


def sign_digest(key, digest):
    """r, s and v of Ethereum, in hexadecimal."""
    for nonce in nonces(key, digest):
        if not 0 < nonce < N:
            continue
        x, y = multiply(nonce)
        r = x % N
        s = pow(nonce, -1, N) * (int.from_bytes(digest, "big") + r * key) % N
        if x < N and r and s:
            odd = y & 1
            if s > N // 2:
                s, odd = N - s, 1 - odd
            return "0x%064x%064x%02x" % (r, s, 27 + odd)


def address_of(key):
    x, y = multiply(key)
    return "0x" + keccak256(x.to_bytes(32, "big") + y.to_bytes(32, "big"))[12:].hex()


def word(value):
    """A number, or hexadecimal text, as 32 bytes."""
    return (int(value, 16) if isinstance(value, str) else value).to_bytes(32, "big")


def transfer_digest(authorization, domain):
    """The EIP-712 hash of TransferWithAuthorization; `domain`: name, version, chain id, contract."""
    name, version, chain_id, contract = domain
    separator = keccak256(
        keccak256(b"EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)")
        + keccak256(name.encode()) + keccak256(version.encode()) + word(chain_id) + word(contract))
    a = authorization
    message = keccak256(
        keccak256(b"TransferWithAuthorization(address from,address to,uint256 value,"
                  b"uint256 validAfter,uint256 validBefore,bytes32 nonce)")
        + word(a["from"]) + word(a["to"]) + word(int(a["value"]))
        + word(int(a["validAfter"])) + word(int(a["validBefore"])) + word(a["nonce"]))
    return keccak256(b"\x19\x01" + separator + message)


def buyer_key():
    """The key in BUYER_PRIVATE_KEY; without one the program ends with a sentence."""
    key = os.environ.get("BUYER_PRIVATE_KEY", "")
    if not re.fullmatch("0x[0-9a-fA-F]{64}", key):
        sys.exit("Set BUYER_PRIVATE_KEY to the key that pays: 0x and 64 hexadecimal digits.")
    return key


def sign_transfer(terms, private_key, amount_max):
    """The payment for the terms of a 402: USDC on Base, at most `amount_max` millionths of a dollar."""
    key = int(private_key, 16)
    accepted = next(a for a in terms["accepts"] if a["scheme"] == "exact")
    amount, seconds = int(accepted["amount"]), int(accepted["maxTimeoutSeconds"])
    if accepted["asset"].lower() != USDC.get(accepted["network"]) or amount > amount_max or seconds > 600:
        raise ValueError("These terms were not agreed to, and nothing was signed: %s" % accepted)
    now = int(time.time())
    authorization = {
        "from": address_of(key), "to": accepted["payTo"], "value": str(amount),
        "validAfter": str(now - 600), "validBefore": str(now + seconds), "nonce": "0x" + os.urandom(32).hex()}
    domain = (accepted["extra"]["name"], accepted["extra"]["version"],
              int(accepted["network"].split(":")[1]), accepted["asset"])
    signature = sign_digest(key, transfer_digest(authorization, domain))
    return {"x402Version": 2, "resource": terms["resource"], "accepted": accepted,
            "payload": {"signature": signature, "authorization": authorization}}
