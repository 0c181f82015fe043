import SaunterCore

/// Reads the walks out of `export.xml` of Apple's Health.
///
/// The file holds years of records before the workouts that they belong to. It is read twice, and only what lies in a walk is
/// kept.
enum HealthKitExport {
    /// The workouts that are walks.
    private static let activities: Set<String> = [
        "HKWorkoutActivityTypeWalking", "HKWorkoutActivityTypeHiking", "HKWorkoutActivityTypeRunning",
        "HKWorkoutActivityTypeWheelchairWalkPace",
    ]
    /// Records that are kept, of all walks together.
    private static let maximumRecords = 5_000_000

    static func read(_ source: RecordingSource) throws(RecordingFault) -> RecordingReading {
        var reading = RecordingReading()
        var (workouts, others) = try workouts(source)
        guard !workouts.isEmpty else { throw RecordingFault("the export holds no workout that is a walk") }
        if others > 0 { reading.remarks.append("workouts that are no walks, left out: \(others)") }
        try records(source, into: &workouts)
        for workout in workouts { try reading.add(workout.walk) }
        return reading
    }

    /// In the order of their starts, and the number of others.
    private static func workouts(
        _ source: RecordingSource
    ) throws(RecordingFault) -> ([HealthKitWorkout], Int) {
        var reader = try XMLReader(source)
        var workouts: [HealthKitWorkout] = []
        var others = 0
        _ = try reader.child()
        while let tag = try reader.child() {
            guard tag.name == "Workout", activities.contains(tag["workoutActivityType"] ?? ""),
                var workout = HealthKitWorkout(tag)
            else {
                if tag.name == "Workout" { others += 1 }
                try reader.skip()
                continue
            }
            while let part = try reader.child() {
                switch part.name {
                case "WorkoutEvent": try workout.add(event: part)
                case "WorkoutStatistics": workout.add(statistics: part)
                default: break
                }
                try reader.skip()
            }
            guard workouts.count < Recording.maximumWalks else {
                throw RecordingFault("it holds more than \(Recording.maximumWalks) walks")
            }
            workouts.append(workout)
        }
        return (workouts.sorted { $0.startedAt < $1.startedAt }, others)
    }

    private static func records(
        _ source: RecordingSource, into workouts: inout [HealthKitWorkout]
    ) throws(RecordingFault) {
        var reader = try XMLReader(source)
        var count = 0
        _ = try reader.child()
        while let tag = try reader.child() {
            if tag.name == "Record", let record = HealthKitRecord(tag) {
                for (place, sample) in parts(of: record, in: workouts) {
                    count += 1
                    guard count <= maximumRecords else {
                        throw RecordingFault("its walks have more than \(maximumRecords) records")
                    }
                    try workouts[place].add(record.kind, sample, from: record.source)
                }
            }
            try reader.skip()
        }
    }

    /// A record belongs whole to the last workout that began by its start, if it ends in it: a walk within another takes the record. A distance that was
    /// counted across a workout's edge belongs to it in part.
    private static func parts(
        of record: HealthKitRecord, in workouts: [HealthKitWorkout]
    ) -> [(place: Int, sample: HealthKitWorkout.Sample)] {
        let sample = record.sample
        if let place = last(of: workouts, begunBy: sample.from).first(where: {
            sample.to <= workouts[$0].endedAt
        }) {
            return [(place, sample)]
        }
        guard record.kind == .distance else { return [] }
        return last(of: workouts, begunBy: sample.to).compactMap { place in
            sample.part(within: workouts[place].startedAt..<workouts[place].endedAt).map {
                (place: place, sample: $0)
            }
        }
    }

    /// The places of the workouts that began by then, the last first. Walks seldom overlap: a few are looked at, however many an export may claim.
    private static func last(of workouts: [HealthKitWorkout], begunBy moment: Instant) -> [Int] {
        var low = 0
        var high = workouts.count
        while low < high {
            let middle = (low + high) / 2
            if workouts[middle].startedAt <= moment { low = middle + 1 } else { high = middle }
        }
        return Array(stride(from: low - 1, through: max(0, low - 4), by: -1))
    }
}
