import SaunterCore
import Testing

@testable import SaunterRecordings

@Suite struct GPXRecordingTests {
    private func point(_ second: Int, _ latitude: Double, _ more: String = "") -> String {
        let time = Instant("2026-05-01T08:00:00Z")?.adding(seconds: second).description ?? ""
        return "<trkpt lat=\"\(latitude)\" lon=\"13\"><time>\(time)</time>\(more)</trkpt>"
    }

    private func gpx(_ tracks: [[String]]) throws -> Recording {
        let body = tracks.map { "<trk>\($0.map { "<trkseg>\($0)</trkseg>" }.joined())</trk>" }.joined()
        return try Recording(
            "<gpx creator=\"Strider\" xmlns:g=\"g\"><metadata><time>2020-01-01T00:00:00Z</time></metadata>\(body)</gpx>"
        )
    }

    @Test func `extensions of several manufacturers contain heart rate, speed and distance`() throws {
        let garmin =
            "<extensions><g:TrackPointExtension><g:hr>91</g:hr><g:cad>55</g:cad><g:speed>1.5</g:speed></g:TrackPointExtension></extensions>"
        let cluetrust =
            "<extensions><c:hr>92</c:hr><c:cadence>56</c:cadence><c:distance>12.5</c:distance></extensions>"
        let old = "<speed>2</speed>"

        let recording = try gpx([
            [point(0, 52, garmin) + point(5, 52.0001, cluetrust) + point(10, 52.0002, old)]
        ])
        let samples = recording.walks[0].samples

        #expect(samples.map(\.heartRateBpm) == [91, 92, nil])
        #expect(samples.map(\.speedKmh) == [5.4, nil, 7.2])
        #expect(recording.remarks == ["points whose cadence was left out, because a walk has no cadence: 2"])
        #expect(recording.walks[0].device?.model == "Strider")
    }

    @Test func `a distance that every point states is preferred to positions`() throws {
        func distanceExtension(_ metres: Double) -> String {
            "<extensions><c:distance>\(metres)</c:distance></extensions>"
        }
        let walk = try gpx([
            [
                point(0, 52, distanceExtension(0)) + point(5, 52.1, distanceExtension(7))
                    + point(10, 52.2, distanceExtension(15))
            ]
        ]).walks[0]

        #expect(walk.samples.map(\.distanceM) == [0, 7, 15])
        #expect(walk.totals.distanceM == 15)
    }

    @Test func `a gap in a segment is a pause without distance`() throws {
        let before = (0..<10).map { second in point(second, 52 + Double(second) * 0.0001) }
        let afterGap = (41..<51).map { second in point(second, 53 + Double(second) * 0.0001) }
        let walk = try gpx([[(before + afterGap).joined()]]).walks[0]

        #expect(walk.pausesMs == [[9000, 41_000]])
        // 18 steps of 11.1195 m.
        #expect(walk.totals.distanceM == 200.2)
        #expect(try walk.summary().activeS == 18)
    }

    @Test func `points at constantly long intervals have no gaps`() throws {
        let points = (0..<5).map { minute in point(minute * 60, 52 + Double(minute) * 0.001) }
        let walk = try gpx([[points.joined()]]).walks[0]
        #expect(walk.pauses == [])
    }

    @Test func `each track is a separate walk, and points are sorted by time`() throws {
        let recording = try gpx([
            [point(100_000, 52) + point(100_010, 52.0001)], [point(10, 52.0001) + point(0, 52)],
            [point(5, 52)],
        ])

        #expect(
            recording.walks.map(\.startedAt.description) == [
                "2026-05-01T08:00:00.000Z", "2026-05-02T11:46:40.000Z",
            ])
        #expect(recording.walks[0].samples.map(\.distanceM) == [0, 11.1])
    }

    @Test func `impossible numbers are left out`() throws {
        let wrong = "<extensions><g:hr>1e400</g:hr></extensions>"
        let recording = try gpx([
            [
                point(0, 52, wrong) + point(5, 52.0001) + point(6, 91)
                    + "<trkpt lat=\"nan\" lon=\"1\"><time>2026-05-01T08:00:09Z</time></trkpt>"
                    + "<trkpt lat=\"1\" lon=\"1\"><time>2026-05-01T08:00:09</time></trkpt>"
            ]
        ])

        #expect(recording.walks[0].samples.map(\.heartRateBpm) == [nil, nil])
        #expect(recording.remarks == ["points without time or position, left out: 3"])
    }

    @Test(arguments: 0..<10)
    func `reading any track returns walks or throws a fault`(seed: Int) throws {
        var random = SeededBytes(seed: UInt64(seed))
        let points = (0..<8).map { point($0 * 20, 52 + Double($0) * 0.0001, "<ele>\($0)</ele>") }
        let text =
            "<gpx creator=\"Strider\"><trk><trkseg>\(points.joined())</trkseg><trkseg>\(point(400, 52))</trkseg></trk></gpx>"
        var read = 0
        for _ in 0..<200 {
            guard let recording = try? Recording(.bytes(random.damage(Array(text.utf8)))) else { continue }
            read += 1
            for walk in recording.walks { _ = try? walk.summary() }
        }
        #expect(read > 0)
    }
}
