import SaunterCore
import Testing

@testable import SaunterRecordings

@Suite struct SportTests {
    private func tcx(_ sport: String) throws -> RecordedWalk {
        try Recording(
            """
            <TrainingCenterDatabase><Activities><Activity \(sport)><Lap StartTime="2026-05-01T08:00:00Z">\
            <TotalTimeSeconds>60</TotalTimeSeconds><DistanceMeters>60</DistanceMeters></Lap></Activity></Activities>\
            </TrainingCenterDatabase>
            """
        ).walks[0]
    }

    private func gpx(_ type: String) throws -> RecordedWalk {
        let points = [0, 5].map {
            "<trkpt lat=\"52\" lon=\"13\"><time>2026-05-01T08:00:0\($0)Z</time></trkpt>"
        }
        return try Recording("<gpx><trk>\(type)<trkseg>\(points.joined())</trkseg></trk></gpx>").walks[0]
    }

    private func fit(_ sport: UInt8?) throws -> RecordedWalk {
        var writer = FITWriter()
        writer.record(0, beats: 90, centimetres: 0)
        writer.record(60, beats: 90, centimetres: 6000)
        writer.add(
            18,
            [.u32(2, FITWriter.start), .u32(7, 60_000), .u32(8, 60_000)]
                + (sport.map { [.u8(5, $0, enumeration: true)] } ?? []))
        return try Recording(.bytes(writer.file())).walks[0]
    }

    @Test(
        arguments: [
            ("Walking", .walking), ("Biking", .cycling), ("trail_running", .running), ("HIKING", .hiking),
            ("Open Water Swimming", .swimming), ("Nordic Ski", .skiing), ("WheelchairRunPace", .wheelchair),
            ("motorcycling", .other), ("Other", nil), ("", nil), ("9", nil),
        ] as [(String, Sport?)])
    func `TCX and GPX name the sport in words`(name: String, expected: Sport?) throws {
        #expect(try tcx("Sport=\"\(name)\"").sport == expected)
        #expect(try gpx("<type>\(name)</type>").sport == expected)
    }

    @Test(
        arguments: [
            (0, nil), (1, .running), (2, .cycling), (5, .swimming), (11, .walking), (12, .skiing),
            (17, .hiking), (65, .wheelchair), (25, .other), (200, .other), (nil, nil),
        ] as [(UInt8?, Sport?)])
    func `FIT names the sport by a number`(number: UInt8?, expected: Sport?) throws {
        #expect(try fit(number).sport == expected)
    }

    @Test func `the body contains the sport, and the id does not depend on it`() throws {
        let (ride, unknown) = (try tcx("Sport=\"Biking\""), try tcx(""))

        #expect(ride.json(zone: .utc)["sport"] == "cycling")
        #expect(unknown.json(zone: .utc)["sport"] == nil)
        #expect(ride.id == unknown.id)
    }
}
