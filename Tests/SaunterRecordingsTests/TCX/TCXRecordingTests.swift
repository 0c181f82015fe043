import SaunterCore
import Testing

@testable import SaunterRecordings

@Suite struct TCXRecordingTests {
    private func time(_ second: Int) -> String {
        Instant("2026-05-01T08:00:00Z")?.adding(seconds: second).description ?? ""
    }

    private func point(_ second: Int) -> String {
        """
        <Trackpoint><Time>\(time(second))</Time><DistanceMeters>\(second)</DistanceMeters>\
        <HeartRateBpm><Value>90</Value></HeartRateBpm></Trackpoint>
        """
    }

    private func lap(from second: Int, timerSeconds seconds: Int, _ tracks: [Int]...) -> String {
        let trackElements = tracks.map { "<Track>\($0.map { point($0) }.joined())</Track>" }.joined()
        return """
            <Lap StartTime="\(time(second))"><TotalTimeSeconds>\(seconds)</TotalTimeSeconds>\(trackElements)</Lap>
            """
    }

    private func tcx(_ laps: String...) -> String {
        """
        <TrainingCenterDatabase><Activities><Activity>\(laps.joined())</Activity></Activities>\
        </TrainingCenterDatabase>
        """
    }

    @Test func `a gap is a pause if no stated pause overlaps it, and a stated pause counts once`()
        throws
    {
        let walk = try Recording(
            tcx(
                // Its timer was stopped for 40 s between two tracks.
                lap(from: 0, timerSeconds: 20, [0, 5, 10], [50, 55, 60]),
                // Its timer time includes a gap of a minute.
                lap(from: 60, timerSeconds: 80, [60, 65, 70, 130, 135, 140]))
        ).walks[0]

        #expect(walk.pausesMs == [[10_000, 50_000], [70_000, 130_000]])
        #expect(try walk.summary().activeS == 40)
        // One metre per second, and no distance during pauses.
        #expect(try walk.summary().distanceM == 40)
    }

    /// A lap of 60 s with a point every 10 s.
    private func minute(_ number: Int, total: Int, metres: (Int) -> Int) -> String {
        let points = stride(from: 0, through: 60, by: 10).map { second in
            "<Trackpoint><Time>\(time(number * 60 + second))</Time><DistanceMeters>\(metres(second))</DistanceMeters></Trackpoint>"
        }.joined()
        return """
            <Lap StartTime="\(time(number * 60))"><TotalTimeSeconds>60</TotalTimeSeconds>\
            <DistanceMeters>\(total)</DistanceMeters><Track>\(points)</Track></Lap>
            """
    }

    @Test func `laps that each count from 0 are added if their totals require it`() throws {
        let restarting = try Recording(
            tcx(minute(0, total: 60) { $0 }, minute(1, total: 120) { $0 * 2 }, minute(2, total: 60) { $0 }))
        let continuing = try Recording(tcx(minute(0, total: 60) { $0 }, minute(1, total: 60) { 60 + $0 }))
        // A distance that decreases at the border of laps that count continuously.
        let decreasing = try Recording(
            tcx(minute(0, total: 60) { $0 }, minute(1, total: 60) { $0 == 0 ? 59 : 60 + $0 }))
        // The totals show that nothing is added.
        let stationary = try Recording(tcx(minute(0, total: 60) { $0 }, minute(1, total: 0) { $0 }))

        #expect(restarting.walks[0].samples.last?.distanceM == 240)
        #expect(try restarting.walks[0].summary().distanceM == 240)
        #expect(restarting.remarks == [])
        #expect(continuing.walks[0].samples.last?.distanceM == 120)
        #expect(decreasing.walks[0].samples.last?.distanceM == 120)
        #expect(stationary.walks[0].samples.last?.distanceM == 60)
    }

    @Test func `remarks state the kind and number of discarded values`() throws {
        func point(_ time: String, _ metres: Double, _ heartRate: Int) -> String {
            """
            <Trackpoint>\(time)<DistanceMeters>\(metres)</DistanceMeters>\
            <HeartRateBpm><Value>\(heartRate)</Value></HeartRateBpm></Trackpoint>
            """
        }
        let points = [
            point("<Time>\(time(0))</Time>", 0, 90), point("<Time>\(time(10))</Time>", 20, 300),
            point("<Time>\(time(20))</Time>", 10, 15), point("", 25, 90),
            point("<Time>2026-05-01T10:00:25</Time>", 25, 90), point("<Time>\(time(30))</Time>", 30, 91),
        ].joined()
        let recording = try Recording(
            tcx(
                """
                <Lap StartTime="\(time(0))"><TotalTimeSeconds>30</TotalTimeSeconds><Track>\(points)</Track></Lap>
                """, "<Lap><Track></Track></Lap>"))

        #expect(recording.walks[0].samples.map(\.heartRateBpm) == [90, nil, 91])
        #expect(
            recording.remarks
                == [
                    "laps without a start, left out: 1", "trackpoints without a Time, left out: 1",
                    "trackpoints whose Time has no offset from UTC or is invalid, left out: 1",
                    "heart rates below 20 or above 255, left out: 2",
                    "distances that decrease or exceed 1000 km, left out: 1",
                ].map { "the walk of 2026-05-01T08:00:00.000Z: \($0)" })
    }

    @Test func `every gap and pause is visited once`() {
        let start = Instant("2026-05-01T08:00:00Z") ?? .minimum
        let moments = (0..<60_000).map { start.adding(seconds: $0 / 3 * 60 + $0 % 3) }
        // A pause in every second gap.
        let pauses = (0..<20_000).filter { $0 % 2 == 0 }.map {
            WalkPause(from: start.adding(seconds: $0 * 60 + 10), to: start.adding(seconds: $0 * 60 + 20))
        }

        let gaps = SamplingGaps.gaps(between: moments.reversed(), beside: pauses.reversed())

        #expect(gaps.count == 9999)
        #expect(
            gaps.first == WalkPause(from: start.adding(seconds: 62), to: start.adding(seconds: 120)))
    }

    @Test(arguments: 0..<10)
    func `reading any file returns walks or throws a fault`(seed: Int) throws {
        var random = SeededBytes(seed: UInt64(seed))
        let text = tcx(
            lap(from: 0, timerSeconds: 20, [0, 5, 10], [50, 55, 60]),
            lap(from: 60, timerSeconds: 70, [60, 65, 130]))
        var read = 0
        for _ in 0..<200 {
            guard let recording = try? Recording(.bytes(random.damage(Array(text.utf8)))) else { continue }
            read += 1
            for walk in recording.walks { _ = try? walk.summary() }
        }
        #expect(read > 0)
    }
}
