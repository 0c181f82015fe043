import SaunterCore

/// A workout of an export, and the records during it.
struct HealthKitWorkout {
    /// A number that a device measured over a time span or at an instant.
    struct Sample {
        var from: Instant
        var to: Instant
        var value: Double

        /// The part of a counted value that belongs to another time span, proportional to the time; nil if the spans do
        /// not overlap.
        func part(within span: Range<Instant>) -> Sample? {
            let (start, end) = (max(from, span.lowerBound), min(to, span.upperBound))
            guard start < end else { return nil }
            let share = Double(end.milliseconds(since: start)) / Double(to.milliseconds(since: from))
            return Sample(from: start, to: end, value: value * share)
        }
    }

    let startedAt: Instant
    let endedAt: Instant
    /// Such as `HKWorkoutActivityTypeWalking`.
    let activity: String
    /// The name of the recording device; records of the same device are preferred. It is only compared, never stored.
    let source: String
    let device: RecordedWalk.Device?
    private(set) var totals = RecordedWalk.Totals()
    private let durationS: Double?
    private var timer: [(at: Instant, runs: Bool, isMotion: Bool)] = []
    private var heartRates: [String: [Sample]] = [:]
    private var distances: [String: [Sample]] = [:]
    private var speeds: [String: [Sample]] = [:]
    private var count = 0

    private static let maximumEvents = 20_000
    private static let maximumSources = 50

    /// Nil for a workout without times or without a duration.
    init?(_ tag: XMLTag) {
        guard let startedAt = HealthKitText.instant(tag["startDate"]),
            let endedAt = HealthKitText.instant(tag["endDate"]), startedAt < endedAt
        else { return nil }
        self.startedAt = startedAt
        self.endedAt = endedAt
        activity = tag["workoutActivityType"] ?? ""
        source = tag["sourceName"] ?? ""
        device = HealthKitText.device(tag["device"])
        durationS = HealthKitText.number(tag["duration"], tag["durationUnit"], HealthKitText.seconds)
        totals.distanceM = HealthKitText.number(
            tag["totalDistance"], tag["totalDistanceUnit"], HealthKitText.metres)
        totals.activeEnergyKcal = HealthKitText.number(
            tag["totalEnergyBurned"], tag["totalEnergyBurnedUnit"], HealthKitText.kilocalories)
    }

    /// Adds a pause or its end. Other events, such as laps, are ignored.
    mutating func add(event tag: XMLTag) throws(RecordingFault) {
        guard let at = HealthKitText.instant(tag["date"]), let type = tag["type"] else { return }
        guard timer.count < Self.maximumEvents else {
            throw RecordingFault("a workout has more than \(Self.maximumEvents) events")
        }
        switch type {
        case "HKWorkoutEventTypePause": timer.append((at, false, false))
        case "HKWorkoutEventTypeResume": timer.append((at, true, false))
        case "HKWorkoutEventTypeMotionPaused": timer.append((at, false, true))
        case "HKWorkoutEventTypeMotionResumed": timer.append((at, true, true))
        default: break
        }
    }

    /// Adds totals that the device calculated.
    mutating func add(statistics tag: XMLTag) {
        func number(_ name: String, _ units: [String: Double]) -> Double? {
            HealthKitText.number(tag[name], tag["unit"], units)
        }
        switch tag["type"] {
        case "HKQuantityTypeIdentifierDistanceWalkingRunning":
            totals.distanceM = number("sum", HealthKitText.metres) ?? totals.distanceM
        case "HKQuantityTypeIdentifierActiveEnergyBurned":
            totals.activeEnergyKcal = number("sum", HealthKitText.kilocalories) ?? totals.activeEnergyKcal
        case "HKQuantityTypeIdentifierHeartRate":
            totals.meanHeartRateBpm = number("average", HealthKitText.beatsPerMinute)
            totals.maxHeartRateBpm = number("maximum", HealthKitText.beatsPerMinute)
        default: break
        }
    }

    /// Adds a record during the workout. For each kind, only the records of the first 50 devices are kept.
    mutating func add(_ kind: HealthKitRecord.Kind, _ sample: Sample, from source: String)
        throws(RecordingFault)
    {
        count += 1
        guard count <= Recording.maximumPoints else {
            throw RecordingFault("a workout has more than \(Recording.maximumPoints) records")
        }
        switch kind {
        case .heartRate: Self.add(sample, source, to: &heartRates)
        case .distance: Self.add(sample, source, to: &distances)
        case .speed: Self.add(sample, source, to: &speeds)
        }
    }

    private static func add(_ sample: Sample, _ source: String, to samples: inout [String: [Sample]]) {
        guard samples[source] != nil || samples.count < maximumSources else { return }
        samples[source, default: []].append(sample)
    }

    // MARK: The walk

    /// The walk. For each kind of record it uses the records of one device, because a watch and a phone count the same
    /// steps. Distances count from the start of the first distance record.
    var walk: RecordedWalk {
        var points = best(of: heartRates).map { RecordedWalk.Point(at: $0.to, heartRateBpm: $0.value) }
        points += best(of: speeds).map { RecordedWalk.Point(at: $0.to, speedKmh: $0.value) }
        var sum = 0.0
        for sample in best(of: distances).sorted(by: { $0.to < $1.to }) {
            if sum == 0, sample.from < sample.to {
                points.append(RecordedWalk.Point(at: sample.from, distanceM: 0))
            }
            sum += sample.value
            points.append(RecordedWalk.Point(at: sample.to, distanceM: sum))
        }
        return RecordedWalk(
            startedAt: startedAt, endedAt: endedAt, pauses: pauses, totals: totals, device: device,
            sport: Sport(deviceName: activity), points: points, stableName: "healthkit \(activity)")
    }

    /// The samples of the device that recorded the workout. If it has none, the samples of the device with the most
    /// samples.
    private func best(of samples: [String: [Sample]]) -> [Sample] {
        samples[source]
            ?? samples.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }?.value ?? []
    }

    /// The pauses that the participant made. The automatic pauses of the watch are added if the resulting duration
    /// is then closer to the stated duration of the workout.
    private var pauses: [WalkPause] {
        func pauses(motion: Bool) -> [WalkPause] {
            var watch = WatchTimer()
            for event in timer.sorted(by: { $0.at < $1.at })
            where event.isMotion == motion && startedAt <= event.at && event.at <= endedAt {
                if event.runs { watch.start(at: event.at) } else { watch.stop(at: event.at) }
            }
            return watch.pauses(until: endedAt)
        }
        let manual = pauses(motion: false)
        let all = manual + pauses(motion: true)
        guard let durationS else { return manual }
        func deviation(_ pauses: [WalkPause]) -> Double {
            abs(Double(endedAt.milliseconds(since: startedAt) - pauses.unionMs) / 1000 - durationS)
        }
        return deviation(all) < deviation(manual) ? all : manual
    }
}
