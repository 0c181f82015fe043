-- One new sheet per request. With PAUSE_MS each connection waits between requests, for a random time with this mean.
dofile(os.getenv("BENCH") .. "/participants.lua")

function request()
  local person, body = any_participant(), sheet()
  return ("PUT /v1/enrolments/%s/answer-sheets/%s HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\n"
    .. "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"):format(
    person.enrolment, new_id(), person.token, #body, body)
end

local pause = tonumber(os.getenv("PAUSE_MS") or "")
if pause then
  function delay() return math.floor(-math.log(1 - math.random()) * pause + 0.5) end
end
