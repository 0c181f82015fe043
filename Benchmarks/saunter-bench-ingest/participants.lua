-- Shared by all loads: participants, ids and answer sheets. PEOPLE names a file with "enrolment token" in each line.
local people = {}

local function load_people()
  for line in io.lines(os.getenv("PEOPLE")) do
    local enrolment, token = line:match("^(%S+) (%S+)$")
    people[#people + 1] = { enrolment = enrolment, token = token }
  end
end

local counter = 0

function setup(thread)
  thread:set("number", counter)
  counter = counter + 1
end

-- UUIDs of version 7, which begin with the time, as devices make them. With RANDOM_IDS, UUIDs of version 4.
local ordered = not os.getenv("RANDOM_IDS")
local hex = ordered and "%08x-%04x-7%03x-a%03x-%08x%04x" or "%08x-%04x-4%03x-a%03x-%08x%04x"

function new_id()
  local random = math.random
  local high, low = random(0, 0x7fffffff), random(0, 0xffff)
  if ordered then
    local milliseconds = os.time() * 1000 + random(0, 999)
    high, low = math.floor(milliseconds / 65536), milliseconds % 65536
  end
  return hex:format(high, low, random(0, 0xfff), random(0, 0xfff), random(0, 0x7fffffff), random(0, 0xffff))
end

-- The time in whole seconds, read once per 1,000 sheets.
local now, age = nil, 0

function sheet(id)
  if age == 0 then now = os.date("!%Y-%m-%dT%H:%M:%S.000Z") end
  age = (age + 1) % 1000
  local random = math.random
  return ('{"questionnaire":"who_5","version":"1.0.0","started_at":"%s","completed_at":"%s","time_zone":"Europe/Berlin",'
    .. '"client_now":"%s","answers":{"q1":%d,"q2":%d,"q3":%d,"q4":%d,"q5":%d}}'):format(
    now, now, now, random(0, 5), random(0, 5), random(0, 5), random(0, 5), random(0, 5))
end

function any_participant() return people[math.random(#people)] end

function init(arguments)
  math.randomseed(os.time() * 16 + number)
  for _ = 1, 8 do math.random() end
  load_people()
end

function done(summary, latency)
  local errors = summary.errors
  io.write(("RESULT %d %d %.0f %.0f %.0f %d %d\n"):format(summary.requests, summary.duration, latency:percentile(50),
    latency:percentile(99), latency.max, errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
