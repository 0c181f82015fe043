-- What is due for somebody.
dofile(os.getenv("BENCH") .. "/people.lua")

function request()
  local person = anybody()
  return ("GET /v1/enrolments/%s/overview HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\n\r\n"):format(person.enrolment, person.token)
end
