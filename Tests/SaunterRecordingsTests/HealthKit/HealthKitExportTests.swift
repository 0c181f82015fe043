import SaunterCore
import Testing

@testable import SaunterRecordings

@Suite struct HealthKitExportTests {
    private func export(_ parts: String...) throws -> Recording {
        try Recording(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE HealthData [
            <!-- HealthKit Export Version: 14 -->
            <!ELEMENT HealthData (ExportDate,Me,(Record|Workout)*)>
            <!ATTLIST HealthData locale CDATA #REQUIRED>
            ]>
            <HealthData locale="de_DE"><ExportDate value="2026-05-02 10:00:00 +0200"/>
            <Me HKCharacteristicTypeIdentifierBiologicalSex="HKBiologicalSexNotSet"/>\(parts.joined())</HealthData>
            """)
    }

    private static func time(_ second: Int) -> String {
        let text = Instant("2026-05-01T10:00:00Z")?.adding(seconds: second).description ?? ""
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) +0200"
    }

    private func record(
        _ type: String, _ value: Double, _ unit: String, _ from: Int, _ to: Int,
        source: String = "Ada’s Watch"
    )
        -> String
    {
        """
        <Record type="HKQuantityTypeIdentifier\(type)" sourceName="\(source)" unit="\(unit)" \
        startDate="\(Self.time(from))" endDate="\(Self.time(to))" value="\(value)"><MetadataEntry key="a" value="b"/></Record>
        """
    }

    private func workout(
        _ inner: String = "", activity: String = "Walking", from: Int = 0, to: Int = 100,
        minutes: Double? = nil
    ) -> String {
        """
        <Workout workoutActivityType="HKWorkoutActivityType\(activity)" \
        \(minutes.map { "duration=\"\($0)\" durationUnit=\"min\"" } ?? "") sourceName="Ada’s Watch" \
        device="&lt;&lt;HKDevice: 0x28&gt;, name:Ada’s Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,1, software:9.0&gt;" \
        startDate="\(Self.time(from))" endDate="\(Self.time(to))">\(inner)</Workout>
        """
    }

    private func event(_ type: String, _ second: Int) -> String {
        "<WorkoutEvent type=\"HKWorkoutEventType\(type)\" date=\"\(Self.time(second))\"/>"
    }

    @Test func `records before their workout in the file become its samples`() throws {
        let recording = try export(
            record("HeartRate", 80, "count/min", -5, -5), record("HeartRate", 1.5, "count/s", 10, 10),
            record("HeartRate", 95, "count/min", 20, 20), record("StepCount", 9, "count", 0, 60),
            record("DistanceWalkingRunning", 0.05, "km", 0, 50),
            record("DistanceWalkingRunning", 40, "m", 50, 95),
            record("DistanceWalkingRunning", 30, "m", 95, 120),
            record("WalkingSpeed", 4.5, "km/hr", 0, 40),
            workout(
                """
                <WorkoutStatistics type="HKQuantityTypeIdentifierDistanceWalkingRunning" sum="0.12" unit="km"/>
                <WorkoutStatistics type="HKQuantityTypeIdentifierActiveEnergyBurned" sum="41.84" unit="kJ"/>
                <WorkoutStatistics type="HKQuantityTypeIdentifierHeartRate" average="93" minimum="80" maximum="99" unit="count/min"/>
                """), workout(activity: "Swimming"))
        let walk = try #require(recording.walks.first)

        #expect(recording.format == .healthkit && recording.walks.count == 1)
        #expect(recording.remarks == ["workouts that are not walks or have no duration, left out: 1"])
        #expect(walk.startedAt == Instant("2026-05-01T08:00:00Z"))
        #expect(walk.samples.map(\.heartRateBpm) == [nil, 90, 95, nil, nil, nil, nil])
        #expect(walk.samples.map(\.speedKmh) == [nil, nil, nil, 4.5, nil, nil, nil])
        // A fifth of the last record is in the walk.
        #expect(walk.samples.map(\.distanceM) == [0, nil, nil, nil, 50, 90, 96])
        #expect(walk.totals.distanceM == 120)
        #expect(abs((walk.totals.activeEnergyKcal ?? 0) - 10) < 1e-9)
        #expect(walk.totals.meanHeartRateBpm == 93 && walk.totals.maxHeartRateBpm == 99)
    }

    @Test func `steps that two devices count are used once`() throws {
        let walk = try export(
            record("DistanceWalkingRunning", 50, "m", 0, 50),
            record("DistanceWalkingRunning", 60, "m", 0, 60, source: "Ada’s Phone"),
            workout()
        ).walks[0]

        #expect(walk.samples.map(\.distanceM) == [0, 50])
    }

    @Test func `a distance across the border of a walk counts in part for both sides`() throws {
        let walks = try export(
            record("DistanceWalkingRunning", 100, "m", -50, 50),
            record("DistanceWalkingRunning", 80, "m", 50, 150),
            record("DistanceWalkingRunning", 40, "m", 150, 250),
            record("DistanceWalkingRunning", 70, "m", 260, 300),
            record("HeartRate", 90, "count/min", 90, 110),
            workout(), workout(from: 120, to: 200)
        ).walks

        #expect(try walks.map { try $0.summary().distanceM } == [90, 44])
        #expect(walks[0].samples.map(\.distanceM) == [0, 50, 90])
    }

    @Test func `the first distance of a walk counts, even if the walk begins faster than it continues`()
        throws
    {
        let walk = try export(
            record("DistanceWalkingRunning", 400, "m", 0, 100),
            record("DistanceWalkingRunning", 10, "m", 100, 200), workout(to: 200)
        ).walks[0]

        #expect(try walk.summary().distanceM == 410)
    }

    @Test func `the name that the owner gave to a device is not stored`() throws {
        let walk = try export(record("HeartRate", 80, "count/min", 5, 5), workout()).walks[0]

        #expect(
            walk.json(zone: .utc)["device"] == [
                "manufacturer": "Apple Inc.", "model": "Watch6,1", "software": "9.0",
            ])
        #expect(!walk.json(zone: .utc).text.contains("Ada"))
    }

    @Test func `pauses are a union, and a pause while paused changes nothing`() throws {
        let events =
            [
                event("Resume", 5), event("Pause", 10), event("Pause", 12), event("Lap", 14),
                event("Resume", 20),
                event("Pause", 60),
            ].joined()
        let walk = try export(workout(events)).walks[0]

        #expect(walk.pausesMs == [[10_000, 20_000], [60_000, 100_000]])
        #expect(try walk.summary().activeS == 50)
    }

    @Test(
        arguments: [(80.0, [[10_000, 20_000]]), (60, [[10_000, 20_000], [30_000, 60_000]])]
            as [(Double, [[Int64]])])
    func `automatic pauses of the watch count if the stated duration requires them`(
        seconds: Double, pauses: [[Int64]]
    ) throws {
        let events =
            [event("Pause", 10), event("Resume", 20), event("MotionPaused", 30), event("MotionResumed", 60)]
            .joined()
        let walk = try export(workout(events, minutes: seconds / 60)).walks[0]

        #expect(walk.pausesMs == pauses)
    }

    @Test func `overlapping pauses of participant and watch are submitted as their union`() throws {
        let events =
            [event("Pause", 10), event("Resume", 40), event("MotionPaused", 20), event("MotionResumed", 60)]
            .joined()
        let walk = try export(workout(events, minutes: 50.0 / 60)).walks[0]

        #expect(walk.pausesMs == [[10_000, 40_000], [20_000, 60_000]])
        #expect(
            walk.json(zone: .utc)["pauses"] == [
                ["from": "2026-05-01T08:00:10.000Z", "to": "2026-05-01T08:01:00.000Z"]
            ])
        #expect(try walk.summary().activeS == 50)
    }

    @Test func `pauses without overlap stay as recorded, because ids depend on them`() throws {
        let events =
            [event("MotionPaused", 5), event("MotionResumed", 10), event("Pause", 10), event("Resume", 40)]
            .joined()
        let walk = try export(workout(events, minutes: 65.0 / 60)).walks[0]

        #expect(walk.json(zone: .utc)["pauses"]?.array?.count == 2)
    }

    @Test func `a later export of a walk has the same id, another walk has another id`() throws {
        let first = try export(workout()).walks[0].id
        let later = try export(record("HeartRate", 80, "count/min", 5, 5), workout()).walks[0].id
        let other = try export(workout(to: 101)).walks[0].id

        #expect(first == later && first != other)
    }

    @Test func `an export without walks is rejected`() {
        #expect(throws: RecordingFault("the export contains no workout that is a walk")) {
            try export(record("HeartRate", 80, "count/min", 5, 5), workout(activity: "Rowing"))
        }
    }

    @Test(arguments: 0..<10)
    func `reading any export returns walks or throws a fault`(seed: Int) throws {
        var random = SeededBytes(seed: UInt64(seed))
        let text = """
            <HealthData>\(record("HeartRate", 80, "count/min", 5, 5))\(record("DistanceWalkingRunning", 50, "m", 0, 50))\
            \(workout(event("Pause", 10) + event("Resume", 20), minutes: 1.5))</HealthData>
            """
        var read = 0
        for _ in 0..<200 {
            guard let recording = try? Recording(.bytes(random.damage(Array(text.utf8)))) else { continue }
            read += 1
            for walk in recording.walks { _ = try? walk.summary() }
        }
        #expect(read > 0)
    }
}
