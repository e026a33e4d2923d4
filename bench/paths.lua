-- Requests these paths in turn: wrk -s bench/paths.lua URL -- PATH ...
local paths = {}
local at = 0
init = function(args)
  paths = args
end
request = function()
  at = at % #paths + 1
  return wrk.format("GET", paths[at])
end
