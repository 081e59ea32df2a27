-- Load of the restart test for wrk: puts of keys that are never used twice, gets
-- and lists. Arguments: folder for what was answered, API key, session ids.
-- Each thread writes `acks.N`, the keys whose put was acknowledged, and
-- `other.N`, a line for each answer that is neither that nor a good read.
local thread_count = 0

function setup(thread)
  thread:set("id", thread_count)
  thread_count = thread_count + 1
end

function init(args)
  local folder = args[1]
  api_key = args[2]
  sessions = {}
  for n = 3, #args do sessions[#sessions + 1] = args[n] end
  acks = io.open(folder .. "/acks." .. id, "w")
  other = io.open(folder .. "/other." .. id, "w")
  sent = 0
end

local function call(tool, arguments)
  return '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"' ..
    tool .. '","arguments":' .. arguments .. '}}'
end

function request()
  sent = sent + 1
  local session = sessions[sent % #sessions + 1]
  local collection = '"collection":"c' .. math.floor(sent / #sessions) % 25 .. '"'
  local body
  if sent % 3 == 0 then
    body = call("put_root_record", '{' .. collection .. ',"key":"w' .. id .. '-' ..
      sent .. '","data":{"n":' .. sent .. '}}')
  elseif sent % 3 == 1 then
    body = call("get_root_record", '{' .. collection .. ',"key":"seed"}')
  else
    body = call("list_root_collections", '{}')
  end
  return wrk.format("POST", "/mcp?tool_groups=root_data&session_id=" .. session, {
    ["X-API-Key"] = api_key,
    ["Content-Type"] = "application/json",
  }, body)
end

function response(status, headers, body)
  local key = string.match(body, '"result":"created".-"key":"(w[0-9-]+)"')
  if status == 200 and key then
    acks:write(key, "\n")
  elseif status ~= 200 or not string.find(body, '"structuredContent"', 1, true) then
    other:write(status, " ", (string.gsub(string.sub(body, 1, 300), "\n", " ")), "\n")
  end
end
