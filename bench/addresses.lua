-- Every request comes from another client: for wrk, against a service that trusts one proxy.
math.randomseed(tonumber(os.getenv("SEED") or "1"))
request = function()
  wrk.headers["X-Forwarded-For"] = string.format(
    "%d.%d.%d.%d",
    math.random(1, 223), math.random(0, 255), math.random(0, 255), math.random(1, 254)
  )
  return wrk.format()
end
