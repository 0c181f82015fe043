-- The insights of a random participant.
dofile(os.getenv("BENCH") .. "/participants.lua")

function request()
  local person = any_participant()
  return ("GET /v1/enrolments/%s/insights HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\n\r\n"):format(person.enrolment, person.token)
end
