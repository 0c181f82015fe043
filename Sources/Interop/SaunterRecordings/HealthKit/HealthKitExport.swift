import SaunterCore

/// Reads the walks of `export.xml` of Apple Health.
///
/// The file contains years of records before the workouts that they belong to. It is read twice, and only records
/// during walks are kept.
enum HealthKitExport {
    /// The activity types that count as walks.
    private static let activities: Set<String> = [
        "HKWorkoutActivityTypeWalking", "HKWorkoutActivityTypeHiking", "HKWorkoutActivityTypeRunning",
        "HKWorkoutActivityTypeWheelchairWalkPace",
    ]
    /// The maximum number of records of all walks together.
    private static let maximumRecords = 5_000_000

    static func read(_ source: RecordingSource) throws(RecordingFault) -> RecordingContents {
        var contents = RecordingContents()
        var (workouts, others) = try workouts(source)
        guard !workouts.isEmpty else { throw RecordingFault("the export contains no workout that is a walk") }
        if others > 0 {
            contents.remarks.append("workouts that are not walks or have no duration, left out: \(others)")
        }
        try records(source, into: &workouts)
        for workout in workouts { try contents.add(workout.walk) }
        return contents
    }

    /// The walks sorted by start, and the number of other workouts.
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
                throw RecordingFault("the file contains more than \(Recording.maximumWalks) walks")
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
                for (index, sample) in parts(of: record, in: workouts) {
                    count += 1
                    guard count <= maximumRecords else {
                        throw RecordingFault("the walks of the file have more than \(maximumRecords) records")
                    }
                    try workouts[index].add(record.kind, sample, from: record.source)
                }
            }
            try reader.skip()
        }
    }

    /// A record belongs to the last workout that began before it and has not ended when the record ends. So a walk
    /// within another walk gets the record. A distance record that extends beyond a workout belongs to it in part.
    private static func parts(
        of record: HealthKitRecord, in workouts: [HealthKitWorkout]
    ) -> [(index: Int, sample: HealthKitWorkout.Sample)] {
        let sample = record.sample
        if let index = latestIndices(of: workouts, startedBy: sample.from).first(where: {
            sample.to <= workouts[$0].endedAt
        }) {
            return [(index, sample)]
        }
        guard record.kind == .distance else { return [] }
        return latestIndices(of: workouts, startedBy: sample.to).compactMap { index in
            sample.part(within: workouts[index].startedAt..<workouts[index].endedAt).map {
                (index: index, sample: $0)
            }
        }
    }

    /// The indices of the workouts that began at or before this instant, latest first. At most four are returned, so
    /// that an export with many overlapping workouts does not take quadratic time. Four are enough, because walks
    /// seldom overlap.
    private static func latestIndices(of workouts: [HealthKitWorkout], startedBy instant: Instant) -> [Int] {
        var low = 0
        var high = workouts.count
        while low < high {
            let middle = (low + high) / 2
            if workouts[middle].startedAt <= instant { low = middle + 1 } else { high = middle }
        }
        return Array(stride(from: low - 1, through: max(0, low - 4), by: -1))
    }
}
