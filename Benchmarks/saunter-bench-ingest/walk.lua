-- One new walk per request: one hour with one sample per second of speed, heart rate and distance.
dofile(os.getenv("BENCH") .. "/participants.lua")

local template

local function series()
  local times, speeds, hearts, metres, way = {}, {}, {}, {}, 0
  for second = 1, 3600 do
    times[second] = second * 1000
    local speed = 4.8 + math.random(-12, 12) / 10
    way = way + speed / 3.6
    speeds[second] = ("%.1f"):format(speed)
    hearts[second] = math.random(96, 128)
    metres[second] = ("%.1f"):format(way)
  end
  return ('{"t_ms":[%s],"speed_kmh":[%s],"heart_rate_bpm":[%s],"distance_m":[%s]}'):format(
    table.concat(times, ","), table.concat(speeds, ","), table.concat(hearts, ","), table.concat(metres, ","))
end

function request()
  local person = any_participant()
  if not template then
    -- Twenty different walks. They are made once, because Lua is slower than the server.
    template = {}
    local ended = os.time() - 60
    for index = 1, 20 do
      template[index] = ('{"started_at":"%s","ended_at":"%s","time_zone":"Europe/Berlin","device":{"model":"bench"},"series":%s}'):format(
        os.date("!%Y-%m-%dT%H:%M:%S.000Z", ended - 3601), os.date("!%Y-%m-%dT%H:%M:%S.000Z", ended), series())
    end
  end
  local body = template[math.random(#template)]
  return ("PUT /v1/enrolments/%s/walks/%s HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\n"
    .. "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"):format(person.enrolment, new_id(), person.token, #body, body)
end
