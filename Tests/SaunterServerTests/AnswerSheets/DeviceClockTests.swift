import SaunterCore
import Testing

@testable import SaunterServer

/// Records of devices whose clock is wrong, and records of another time than now.
@Suite struct DeviceClockTests {
    private static let hour = 3600
    private static let day = 24 * hour

    /// The time of the fixture, shifted by these seconds.
    private static func instant(_ seconds: Int) -> JSON {
        .instant(ServerFixture.now.adding(seconds: seconds))
    }

    private static func flags(_ receipt: JSON) -> Set<String> {
        Set(receipt["flags"]?.array?.compactMap(\.string) ?? [])
    }

    @Test(
        arguments: [
            (0, 9 * day, "out_of_window", "completed_in_future"),
            (-3 * day, -3 * day, "early", "before_enrolment"),
        ])
    func `a sheet outside of its window is stored and does not fulfil the occasion`(
        _ start: Int, _ end: Int, _ timeliness: String, _ flag: String
    ) async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let occasion = try #require(try await ada.openOccasion(of: "pss_10"))

            let receipt = try await ada.create(
                "answer-sheets",
                SampleSheet.body(
                    "pss_10", SampleSheet.pss10,
                    [
                        "occasion_id": occasion, "started_at": Self.instant(start),
                        "completed_at": Self.instant(end),
                    ]))

            #expect(receipt["standing"]?.string == timeliness)
            #expect(Self.flags(receipt) == [flag])
            #expect(try await ada.overview()["pss_10"]?["disabled"] == false)
        }
    }

    @Test(arguments: [365, -365, 3650])
    func `the error of a clock that client_now shows is corrected`(_ days: Int) async throws {
        let moment = Self.instant(days * Self.day)

        try await ServerFixture.withParticipant { ada async throws in
            let receipt = try await ada.create(
                "answer-sheets",
                SampleSheet.body(
                    "daily_evening", SampleSheet.daily,
                    ["started_at": moment, "completed_at": moment, "client_now": moment]))

            #expect(receipt["standing"] == "on_time")
            #expect(receipt["flags"] == ["clock_skew"])
            // The device's time is stored unchanged.
            #expect(receipt["completed_at"] == moment)
        }
    }

    @Test(arguments: ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z"] as [JSON])
    func `a clock at the first or last instant causes no error of the server`(_ moment: JSON) async throws {
        let sheet = SampleSheet.body(
            "daily_evening", SampleSheet.daily,
            ["started_at": moment, "completed_at": moment, "client_now": moment])

        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await ada.put(ada.newRecord("answer-sheets"), sheet)

            #expect([200, 201, 422].contains(answer.status), "\(answer.text)")
        }
    }

    /// The database adds the clock correction to stored times. The sum can be outside the range of PostgreSQL's
    /// timestamps.
    @Test func `a clock that is thousands of years off does not break later requests`() async throws {
        let far: JSON = ["client_now": "9999-12-31T23:59:59.000Z"]
        let calibration: JSON = [
            "recorded_at": Self.instant(0), "mean_speed_kmh": 5, "reduction_percent": 20, "duration_s": 60,
        ]
        let seen: JSON = [
            "event": "screen_seen", "at": Self.instant(0), "time_zone": "Europe/Berlin",
            "properties": ["screen": "x"],
        ]

        try await ServerFixture.withParticipant { ada async throws in
            let first = try await ada.put(ada.newRecord("calibrations"), calibration.with(far))
            let walk = try await ada.put(ada.newRecord("walks"), SampleWalk.body(far))
            let sheet = try await ada.put(
                ada.newRecord("answer-sheets"), SampleSheet.body("daily_evening", SampleSheet.daily, far))
            let batch = try await ada.sync([SampleBatch.item("usage_event", seen)], far)

            #expect(first.status == 201)
            for answer in [walk, sheet] {
                #expect([200, 201, 422].contains(answer.status), "\(answer.text)")
            }
            #expect(batch.results != ["retry"])
            _ = try await ada.overview()
            let rosa = try await ada.researcher()
            let changes = try await rosa.get("/v1/studies/mindful-walking/changes?after=0&limit=1000")
            #expect(changes.status == 200)
            let withdrawal = try await ada.post(ada.own("/withdrawal"), ["mode": "stop"])
            #expect(withdrawal.status == 200)
            let current = try await ada.get(ada.own("/calibrations/current"))
            #expect([200, 404].contains(current.status))
        }
    }

    @Test(arguments: [hour, -hour, 365 * day])
    func `a wrong clock affects neither calibrations nor walks`(_ offset: Int) async throws {
        let calibration: JSON = [
            "recorded_at": Self.instant(offset), "mean_speed_kmh": 5, "reduction_percent": 20,
            "duration_s": 60, "client_now": Self.instant(offset),
        ]
        let start = ServerFixture.now.adding(seconds: offset)
        let walk: JSON = [
            "started_at": .instant(start), "ended_at": .instant(start.adding(milliseconds: 1)),
            "time_zone": .string(ServerFixture.zone.id), "client_now": .instant(start),
        ]

        try await ServerFixture.withParticipant { ada async throws in
            _ = try await ada.create("calibrations", calibration)
            let current = try await ada.get(ada.own("/calibrations/current"))
            let overview = try await ada.get(ada.own("/overview"))
            #expect(current.json["target_speed_kmh"] == 4)
            #expect(overview.json["walk"]?["may_start"] == true)

            let stored = try await ada.create("walks", walk)

            #expect(stored["flags"] == ["clock_skew"])
            #expect(stored["summary"]?["target_speed_kmh"] == 4)
            #expect(try await ada.overview()["after_walk"]?["due_today"] == true)
        }
    }
}
