import SaunterCore
import Testing

@Suite struct `saunter import-walk` {
    private func imported(_ text: String, _ name: String = "walk.tcx") async throws -> (CommandRun, JSON) {
        let folder = try TestFolder()
        let run = try await CommandRun.saunter(
            ["import-walk", try folder.file(name, text), "--zone", "Europe/Berlin"])
        withExtendedLifetime(folder) {}
        return (run, run.status == 0 ? try JSONReader.read(run.output) : .null)
    }

    /// A lap in the TCX format. Each point is (second, distance in metres, heart rate).
    private func lap(_ start: String, timer: Double, metres: Double, _ tracks: [[(Int, Double, Int)]])
        -> String
    {
        let points = tracks.map { track in
            track.map { second, metres, beats in
                """
                <Trackpoint><Time>2026-05-01T08:\(Self.clock(second))Z</Time><DistanceMeters>\(metres)</DistanceMeters>
                <HeartRateBpm><Value>\(beats)</Value></HeartRateBpm>
                <Extensions><x:TPX><x:Speed>1.25</x:Speed></x:TPX></Extensions></Trackpoint>
                """
            }.joined()
        }
        return """
            <Lap StartTime="2026-05-01T08:\(start)Z"><TotalTimeSeconds>\(timer)</TotalTimeSeconds>
            <DistanceMeters>\(metres)</DistanceMeters><Calories>7</Calories>
            \(points.map { "<Track>\($0)</Track>" }.joined())</Lap>
            """
    }

    private static func clock(_ second: Int) -> String {
        let (minutes, seconds) = (second / 60, second % 60)
        return "\(minutes < 10 ? "0" : "")\(minutes):\(seconds < 10 ? "0" : "")\(seconds)"
    }

    private func tcx(_ laps: String...) -> String {
        """
        <?xml version="1.0"?><TrainingCenterDatabase xmlns="a" xmlns:x="b"><Activities><Activity Sport="Other">
        \(laps.joined())</Activity></Activities></TrainingCenterDatabase>
        """
    }

    @Test func `consecutive laps become one walk with the totals of the device`() async throws {
        let (run, walk) = try await imported(
            tcx(
                lap("00:00", timer: 60, metres: 75, [[(0, 0, 90), (30, 37.5, 95), (60, 75, 100)]]),
                lap("01:00", timer: 30, metres: 37.5, [[(60, 75, 100), (90, 112.5, 104)]])))

        #expect(run.status == 0)
        #expect(walk["started_at"] == "2026-05-01T08:00:00.000Z")
        #expect(walk["ended_at"] == "2026-05-01T08:01:30.000Z")
        #expect(walk["time_zone"] == "Europe/Berlin")
        #expect(walk["pauses"] == [])
        #expect(walk["totals"] == ["distance_m": 112.5, "active_energy_kcal": 14])
        #expect(walk["series"]?["t_ms"] == [0, 30000, 60000, 90000])
        #expect(walk["series"]?["heart_rate_bpm"] == [90, 95, 100, 104])
        #expect(walk["series"]?["speed_kmh"] == [4.5, 4.5, 4.5, 4.5])
    }

    @Test func `a second track in a lap begins after a pause of the timer`() async throws {
        // 120 seconds passed, and the timer counted 82. So the pause is 38 of the 40 seconds between the tracks.
        let (_, walk) = try await imported(
            tcx(
                lap(
                    "00:00", timer: 82, metres: 100,
                    [[(0, 0, 90), (40, 50, 95)], [(80, 50, 92), (120, 100, 99)]])))

        #expect(walk["pauses"] == [["from": "2026-05-01T08:00:42.000Z", "to": "2026-05-01T08:01:20.000Z"]])
    }

    @Test func `a time without a lap is a pause`() async throws {
        let (_, walk) = try await imported(
            tcx(
                lap("00:00", timer: 30, metres: 40, [[(0, 0, 90), (30, 40, 95)]]),
                lap("05:00", timer: 30, metres: 40, [[(300, 40, 88), (330, 80, 96)]])))

        #expect(walk["pauses"] == [["from": "2026-05-01T08:00:30.000Z", "to": "2026-05-01T08:05:00.000Z"]])
        #expect(walk["ended_at"] == "2026-05-01T08:05:30.000Z")
    }

    @Test func `impossible values are omitted and reported`() async throws {
        let (run, walk) = try await imported(
            tcx(
                lap(
                    "00:00", timer: 60, metres: 75, [[(0, 0, 0), (30, 40, 255), (45, 30, 90), (60, 75, 300)]])
            ))

        #expect(walk["series"]?["heart_rate_bpm"] == [nil, 255, 90, nil])
        #expect(walk["series"]?["distance_m"] == [0, 40, nil, 75])
        #expect(run.errors.contains("heart rates below 20 or above 255, left out: 2"))
        #expect(run.errors.contains("distances that decrease or exceed 1000 km, left out: 1"))
    }

    @Test
    func
        `the distance of a GPX track is computed from its positions, and breaks between segments are pauses`()
        async throws
    {
        func point(_ second: Int, _ latitude: Double) -> String {
            """
            <trkpt lat="\(latitude)" lon="13"><time>2026-05-01T08:\(Self.clock(second))Z</time><extensions>
            <g:TrackPointExtension><g:hr>\(90 + second)</g:hr></g:TrackPointExtension></extensions></trkpt>
            """
        }
        // A thousandth of a degree of latitude is 111.195 m.
        let (run, walk) = try await imported(
            """
            <gpx xmlns:g="g"><trk><trkseg>\(point(0, 52))\(point(60, 52.001))</trkseg>
            <trkseg>\(point(100, 52.5))\(point(160, 52.501))<trkpt lat="1" lon="1"/></trkseg></trk></gpx>
            """, "walk.gpx")

        #expect(walk["pauses"] == [["from": "2026-05-01T08:01:00.000Z", "to": "2026-05-01T08:01:40.000Z"]])
        #expect(walk["series"]?["distance_m"] == [0, 111.2, 111.2, 222.4])
        #expect(walk["series"]?["heart_rate_bpm"] == [90, 150, 190, 250])
        #expect(run.errors.contains("points without time or position, left out: 1"))
    }

    @Test(arguments: [
        ("not XML", "not a valid XML file"), ("<gpx></gpx>", "no track with times"),
        ("<kml/>", "neither TCX, GPX, FIT nor"),
        ("<TrainingCenterDatabase/>", "no activity"), ("", "not a valid XML file"),
        (
            "<!DOCTYPE x [<!ENTITY e SYSTEM \"file:///etc/passwd\">]><gpx><trk><trkseg>&e;</trkseg></trk></gpx>",
            "walk.tcx: "
        ),
        ("<gpx>" + String(repeating: "<a>", count: 500), "nested more than 64 levels deep"),
        (String(repeating: "<a>", count: 500), "neither TCX, GPX, FIT nor"),
    ])
    func `a file that is not a recording is rejected with one line`(text: String, expected: String)
        async throws
    {
        let (run, _) = try await imported(text)

        #expect(run.status == 1)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains(expected))
        #expect(run.errors.split(separator: "\n").count == 1)
    }

    @Test func `a recording that is submitted several times is stored once`() async throws {
        try await CommandDatabase.with { database in
            try await database.publish()
            let made = try await database.saunter([
                "cohort", "--study", "mindful-walking", "--participants", "1", "--days", "1", "--json",
            ])
            let login = try JSONReader.read(made.output)
            let server = try await RunningServer(database.environment)
            let walker = try await Walker(login, at: server.url)
            let file = try database.folder.file(
                "walk.tcx",
                tcx(lap("00:00", timer: 60, metres: 75, [[(0, 0, 90), (30, 37.5, 95), (60, 75, 100)]])))
            let token = try database.folder.file("token", walker.token + "\n")
            let command = [
                "import-walk", file, "--url", server.url, "--enrolment", walker.enrolment, "--token-file",
                token,
            ]

            let first = try await CommandRun.saunter(command)
            let second = try await CommandRun.saunter(command + ["--zone", "UTC"])
            let elsewhere = try await CommandRun.saunter(command + ["--zone", "Asia/Tokyo"])
            let wrong = try await CommandRun.saunter(command.dropLast() + [file])
            let forged = try database.folder.file("forged", "eyJhbGciOiJub25lIn0.e30.\n")
            let foreign = try await CommandRun.saunter(command.dropLast() + [forged])
            _ = await server.stop()

            let summary = try JSONReader.read(first.output)["summary"]
            #expect(summary?["distance_m"]?.double == 75)
            #expect(summary?["active_s"]?.double == 60)
            #expect(summary?["active_energy_kcal"]?.double == 7)
            #expect(try JSONReader.read(second.output)["replayed"] == true)
            #expect(elsewhere.status == 0)
            #expect(try JSONReader.read(elsewhere.output) == JSONReader.read(second.output))
            #expect(elsewhere.errors.contains("was submitted before; the stored walk is unchanged"))
            #expect(wrong.errors == "saunter: \(file) contains no access token\n")
            #expect(foreign.status == 1)
            #expect(foreign.errors.contains("was refused with 401"))
        }
    }

    @Test func `the sample recording of the tour is one walk`() async throws {
        let run = try await CommandRun.saunter(
            ["import-walk", "docs/samples/slow-walk.tcx", "--zone", "Europe/Berlin"], in: SourceTree.path)

        #expect(run.lines.count == 1)
        let walk = try JSONReader.read(run.output)
        #expect(walk["started_at"] == "2026-11-20T00:05:00.000Z")
        #expect(walk["series"]?["t_ms"]?.array?.count == 121)
        #expect(walk["series"]?["heart_rate_bpm"]?.array?.count == 121)
    }
}
