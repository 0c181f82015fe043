import SaunterCore

/// Reads a Training Center file (TCX): activities with laps, tracks and points.
enum TCXRecording {
    private static let maximumLaps = 10_000

    /// The walks of a file. The root element must be open.
    static func read(_ reader: inout XMLReader) throws(RecordingFault) -> RecordingContents {
        var contents = RecordingContents()
        var found = 0
        while let part = try reader.child() {
            guard part.name == "Activities" else {
                try reader.skip()
                continue
            }
            while let activity = try reader.child() {
                guard activity.name == "Activity" else {
                    try reader.skip()
                    continue
                }
                found += 1
                var discarded = TCXRemarks()
                if let walk = try Self.activity(&reader, activity, &discarded) {
                    try contents.add(walk, discarded: discarded.list)
                } else {
                    contents.remarks.append("activity \(found) has no duration or no lap")
                    contents.remarks += discarded.list.map { "activity \(found): \($0)" }
                }
            }
        }
        guard found > 0 else { throw RecordingFault("the file contains no activity") }
        guard !contents.walks.isEmpty else {
            throw RecordingFault("the activity contains no lap with a duration")
        }
        return contents
    }

    private static func activity(
        _ reader: inout XMLReader, _ tag: XMLTag, _ discarded: inout TCXRemarks
    ) throws(RecordingFault) -> RecordedWalk? {
        var laps: [TCXLap] = []
        var device: RecordedWalk.Device?
        var points = 0
        while let part = try reader.child() {
            switch part.name {
            case "Lap":
                guard laps.count < maximumLaps else {
                    throw RecordingFault("an activity has more than \(maximumLaps) laps")
                }
                if let lap = try lap(&reader, part, &points, &discarded) {
                    laps.append(lap)
                } else {
                    discarded.laps += 1
                }
            case "Creator":
                let creator = try reader.element(part)
                device = RecordedWalk.Device(
                    model: creator["Name"]?.text,
                    software: creator["Version"].map { version in
                        ["VersionMajor", "VersionMinor"].compactMap { version[$0]?.text }.joined(
                            separator: ".")
                    })
            default: try reader.skip()
            }
        }
        return walk(
            laps.sorted { $0.startedAt < $1.startedAt }, device,
            tag["Sport"].flatMap { Sport(deviceName: $0) })
    }

    /// The walk of one activity; nil if it has no laps or no duration. The time without pauses is the sum of the timers
    /// of the laps. Some exporters include pauses in the timer time; then gaps between points show the pauses.
    private static func walk(
        _ laps: [TCXLap], _ device: RecordedWalk.Device?, _ sport: Sport?
    ) -> RecordedWalk? {
        guard let startedAt = laps.first?.startedAt else { return nil }
        var pauses: [WalkPause] = []
        var endedAt = startedAt
        for (index, lap) in laps.enumerated() {
            let next = index + 1 < laps.count ? laps[index + 1].startedAt : nil
            let end = lap.end(before: next)
            pauses += lap.pauses(until: end)
            if let next, next > end { pauses.append(WalkPause(from: end, to: next)) }
            endedAt = max(endedAt, end)
        }
        guard endedAt > startedAt else { return nil }
        pauses += SamplingGaps.gaps(between: laps.flatMap { $0.points.map(\.at) }, beside: pauses)
        func sum(_ value: (TCXLap) -> Double?) -> Double? {
            let known = laps.compactMap(value)
            return known.isEmpty ? nil : known.reduce(0, +)
        }
        let calories = sum(\.calories)
        return RecordedWalk(
            startedAt: startedAt, endedAt: endedAt, pauses: pauses,
            // A lap without a sensor states 0.
            totals: .init(distanceM: sum(\.distanceM), activeEnergyKcal: calories == 0 ? nil : calories),
            device: device, sport: sport, points: points(of: laps), countsFromStart: true)
    }

    /// The points of all laps, with metres since the start of the walk. Some exporters count each lap from 0. A lap
    /// counts from 0 if both are true: its first distance is below the last distance of the previous lap, and its last
    /// distance is closer to its own stated total than to the total of all laps so far. Then the distance of the
    /// previous laps is added.
    private static func points(of laps: [TCXLap]) -> [RecordedWalk.Point] {
        var points: [RecordedWalk.Point] = []
        var (covered, last) = (0.0, 0.0)
        var stated: Double? = 0
        for lap in laps {
            var own = lap.points
            let metres = own.sorted { $0.at < $1.at }.compactMap(\.distanceM)
            stated = stated.flatMap { sum in lap.distanceM.map { sum + $0 } }
            if let first = metres.first, let end = metres.max() {
                if let whole = lap.distanceM, let all = stated, first < last,
                    abs(end - whole) < abs(end - all)
                {
                    covered += last
                }
                last = end
            }
            for index in own.indices {
                own[index].distanceM = own[index].distanceM.map { $0 + covered }
            }
            points += own
        }
        return points
    }

    private static func lap(
        _ reader: inout XMLReader, _ tag: XMLTag, _ count: inout Int, _ discarded: inout TCXRemarks
    ) throws(RecordingFault) -> TCXLap? {
        var tracks: [[RecordedWalk.Point]] = []
        var numbers: [String: Double] = [:]
        while let part = try reader.child() {
            switch part.name {
            case "Track": tracks.append(try track(&reader, &count, &discarded))
            case "TotalTimeSeconds", "DistanceMeters", "Calories":
                numbers[part.name] = Double(trimmed: try reader.content())
            default: try reader.skip()
            }
        }
        let stated = tag["StartTime"].flatMap { Instant($0.filter { !$0.isWhitespace }) }
        guard let startedAt = stated ?? tracks.flatMap({ $0 }).map(\.at).min() else { return nil }
        let seconds = numbers["TotalTimeSeconds"].flatMap { (0...864_000).contains($0) ? $0 : nil }
        return TCXLap(
            startedAt: startedAt, timerMs: seconds.map { Int64(($0 * 1000).rounded()) },
            distanceM: numbers["DistanceMeters"], calories: numbers["Calories"], tracks: tracks)
    }

    private static func track(
        _ reader: inout XMLReader, _ count: inout Int, _ discarded: inout TCXRemarks
    ) throws(RecordingFault) -> [RecordedWalk.Point] {
        var points: [RecordedWalk.Point] = []
        while let part = try reader.child() {
            guard part.name == "Trackpoint" else {
                try reader.skip()
                continue
            }
            count += 1
            guard count <= Recording.maximumPoints else {
                throw RecordingFault("a walk has more than \(Recording.maximumPoints) points")
            }
            if let point = point(try reader.element(part), &discarded) { points.append(point) }
        }
        return points
    }

    private static func point(_ element: XMLElement, _ discarded: inout TCXRemarks) -> RecordedWalk.Point? {
        let time = element["Time"]?.text.filter { !$0.isWhitespace } ?? ""
        guard let at = Instant(time) else {
            if time.isEmpty { discarded.withoutTime += 1 } else { discarded.withInvalidTime += 1 }
            return nil
        }
        return RecordedWalk.Point(
            at: at, distanceM: element["DistanceMeters"]?.number,
            heartRateBpm: element["HeartRateBpm"]?["Value"]?.number,
            speedKmh: element["Extensions"]?.first(below: "Speed")?.number.map { $0 * 3.6 })
    }
}

/// The number of discarded parts of an activity.
private struct TCXRemarks {
    var laps = 0
    var withoutTime = 0
    /// Points whose time cannot be read, for example because it has no offset from UTC.
    var withInvalidTime = 0

    var list: [String] {
        [
            ("laps without a start, left out", laps), ("trackpoints without a Time, left out", withoutTime),
            ("trackpoints whose Time has no offset from UTC or is invalid, left out", withInvalidTime),
        ].filter { $0.1 > 0 }.map { "\($0.0): \($0.1)" }
    }
}
