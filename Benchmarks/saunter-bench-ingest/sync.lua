-- 500 new sheets in one batch.
dofile(os.getenv("BENCH") .. "/participants.lua")

function request()
  local person, items = any_participant(), {}
  for index = 1, 500 do
    items[index] = '{"kind":"answer_sheet","id":"' .. new_id() .. '","body":' .. sheet() .. "}"
  end
  local body = ('{"client_now":"%s","items":[%s]}'):format(os.date("!%Y-%m-%dT%H:%M:%S.000Z"), table.concat(items, ","))
  return ("POST /v1/enrolments/%s/sync HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\n"
    .. "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"):format(
    person.enrolment, person.token, #body, body)
end
