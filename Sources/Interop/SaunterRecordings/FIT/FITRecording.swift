import SaunterCore

/// Reads the sessions of an activity file (FIT); each session is a walk. It uses the records, the starts and stops of
/// the timer, and the totals of the watch.
enum FITRecording {
    static func read(_ source: RecordingSource) throws(RecordingFault) -> RecordingContents {
        var contents = RecordingContents()
        let bytes = try source.all(atMost: FITFile.maximumLength)
        for part in try FITFile.parts(bytes) {
            let activity = try FITActivity(part)
            contents.remarks += activity.remarks
            for walk in activity.walks { try contents.add(walk) }
        }
        guard !contents.walks.isEmpty else {
            throw RecordingFault("the FIT file contains no activity with a duration")
        }
        return contents
    }
}

/// The content of one part of a file.
struct FITActivity {
    private struct Session {
        var startedAt: Instant
        var elapsedMs: Int64?
        var timerMs: Int64?
        var totals: RecordedWalk.Totals
        var sport: Sport?
    }

    private static let maximumSessions = 200
    private static let maximumEvents = 20_000

    private var points: [RecordedWalk.Point] = []
    private var timer: [(at: Instant, runs: Bool)] = []
    private var sessions: [Session] = []
    private var device = RecordedWalk.Device()
    private var compressedDistance = FITCompressedDistance()
    private(set) var remarks: [String] = []
    private var cadences = 0
    private var withoutTime = 0

    /// - Throws: `RecordingFault` for messages that cannot be read, and for too many points.
    init(_ part: ArraySlice<UInt8>) throws(RecordingFault) {
        var messages = FITMessageReader(part)
        while let message = try messages.next() {
            switch message.kind {
            case .record: try addPoint(message)
            case .event: try addTimerEvent(message)
            case .session: try addSession(message)
            case .deviceInfo: readDevice(message)
            case .fileID:
                // Field 1 is the number of the manufacturer.
                if message.number(1) == 1 { device.manufacturer = "Garmin" }
            case .lap, .fieldDescription: break
            }
        }
        if cadences > 0 {
            remarks.append("points whose cadence was left out, because a walk has no cadence: \(cadences)")
        }
        if withoutTime > 0 { remarks.append("records without a date, left out: \(withoutTime)") }
        if let first = sessions.map(\.startedAt).min() {
            let early = points.filter { $0.at < first }.count
            if early > 0 { remarks.append("records before the first session, left out: \(early)") }
        }
    }

    /// Adds a point from the fields of a record: 3 heart rate, 4 cadence, 5 distance, 6 speed, 73 speed in four bytes,
    /// 8 compressed speed and distance.
    private mutating func addPoint(_ message: FITMessage) throws(RecordingFault) {
        guard let at = message.at else {
            withoutTime += 1
            return
        }
        guard points.count < Recording.maximumPoints else {
            throw RecordingFault("a file has more than \(Recording.maximumPoints) points")
        }
        let compressed = message.bytes(8).flatMap { compressedDistance.read($0) }
        let speed = message.number(73, scale: 1000) ?? message.number(6, scale: 1000) ?? compressed?.speed
        if message.number(4) != nil { cadences += 1 }
        points.append(
            RecordedWalk.Point(
                at: at, distanceM: message.number(5, scale: 100) ?? compressed?.distance,
                heartRateBpm: message.number(3), speedKmh: speed.map { $0 * 3.6 }))
    }

    /// Adds an event of the timer. Field 0 is the source of the event, 0 for the timer. Field 1 is its type: 0 started;
    /// 1, 4, 8 or 9 stopped.
    private mutating func addTimerEvent(_ message: FITMessage) throws(RecordingFault) {
        guard let at = message.at, message.number(0) == 0, let type = message.number(1) else { return }
        guard timer.count < Self.maximumEvents else {
            throw RecordingFault("an activity has more than \(Self.maximumEvents) timer events")
        }
        switch type {
        case 0: timer.append((at, true))
        case 1, 4, 8, 9: timer.append((at, false))
        default: break
        }
    }

    /// Adds a session from its fields: 2 start, 5 sport, 7 elapsed time, 8 timer time, 9 distance, 11 energy, 16 mean
    /// and 17 maximum heart rate.
    private mutating func addSession(_ message: FITMessage) throws(RecordingFault) {
        guard let startedAt = message.time(2) else { return }
        guard sessions.count < Self.maximumSessions else {
            throw RecordingFault("an activity has more than \(Self.maximumSessions) sessions")
        }
        func ms(_ field: UInt8) -> Int64? {
            message.number(field, scale: 1000).flatMap { (0...864_000).contains($0) ? $0 : nil }
                .map { Int64(($0 * 1000).rounded()) }
        }
        let calories = message.number(11)
        sessions.append(
            Session(
                startedAt: startedAt, elapsedMs: ms(7), timerMs: ms(8),
                totals: .init(
                    distanceM: message.number(9, scale: 100),
                    activeEnergyKcal: calories == 0 ? nil : calories,
                    meanHeartRateBpm: message.number(16), maxHeartRateBpm: message.number(17)),
                sport: message.number(5).flatMap { Self.sport($0) }))
    }

    /// The sport with a number of the FIT profile. Nil for numbers that do not name a sport: generic, transition and
    /// multisport.
    private static func sport(_ number: Double) -> Sport? {
        switch number {
        case 0, 3, 18: nil
        case 1: .running
        case 2, 21: .cycling
        case 5: .swimming
        case 11: .walking
        case 12, 13, 14: .skiing
        case 15: .rowing
        case 16, 17, 35: .hiking
        case 30, 33: .skating
        case 65, 66: .wheelchair
        default: .other
        }
    }

    /// Reads the device that wrote the file. Fields: 0 index of the device, 0 for the device that wrote the file;
    /// 4 product number, 5 software, 27 product name.
    private mutating func readDevice(_ message: FITMessage) {
        guard message.number(0) == 0 else { return }
        device.model = message.text(27) ?? device.model
        if device.model == nil, let product = message.number(4).flatMap({ UInt16(exactly: $0) }) {
            device.model = "product \(product)"
        }
        if let software = message.number(5, scale: 100) { device.software = "\(software)" }
    }

    // MARK: Walks

    /// One walk per session. If the file has no session, because the watch was switched off, all records are one walk.
    var walks: [RecordedWalk] {
        let sorted = sessions.sorted { $0.startedAt < $1.startedAt }
        guard !sorted.isEmpty else {
            guard let first = points.map(\.at).min() else { return [] }
            return [walk(Session(startedAt: first, totals: .init()), before: nil)].compactMap { $0 }
        }
        return zip(sorted, sorted.dropFirst().map { Optional($0.startedAt) } + [nil]).compactMap {
            walk($0, before: $1)
        }
    }

    /// The walk of a session: from its start to its last stop, otherwise to its last record or the end of its stated
    /// time, whichever is later. Nil if it has no duration.
    private func walk(_ session: Session, before next: Instant?) -> RecordedWalk? {
        let limit = next ?? .maximum
        var watch = WatchTimer()
        for event in timer.sorted(by: { $0.at < $1.at })
        where session.startedAt <= event.at && event.at <= limit {
            if event.runs { watch.start(at: event.at) } else { watch.stop(at: event.at) }
        }
        let own = points.filter { session.startedAt <= $0.at && $0.at < limit }
        let stated = session.startedAt.adding(milliseconds: session.elapsedMs ?? 0)
        let last = own.map(\.at).max() ?? session.startedAt
        var end = min(limit, max(last, stated))
        if let stoppedAt = watch.stoppedAt, stoppedAt > session.startedAt {
            end = min(end, max(stoppedAt, last))
        }
        guard end > session.startedAt else { return nil }
        var points = own
        // If a file has several sessions, the distance continues from one session to the next.
        if let before = self.points.last(where: { $0.at < session.startedAt && $0.distanceM != nil })?
            .distanceM,
            let first = own.compactMap(\.distanceM).first, first >= before
        {
            for index in points.indices {
                points[index].distanceM = points[index].distanceM.map { $0 - before }
            }
        }
        let pauses = timer.isEmpty ? SamplingGaps.gaps(between: own.map(\.at)) : watch.pauses(until: end)
        return RecordedWalk(
            startedAt: session.startedAt, endedAt: end, pauses: pauses,
            totals: session.totals, device: device, sport: session.sport, points: points,
            countsFromStart: true)
    }
}

/// Reads speed and distance in three bytes. The distance restarts after 256 m, so this type sums its increments.
struct FITCompressedDistance {
    private var last = 0
    private var sum = 0

    /// The speed in metres per second and the distance in metres; nil if the field does not have three bytes.
    mutating func read(_ bytes: ArraySlice<UInt8>) -> (speed: Double, distance: Double)? {
        let own = Array(bytes)
        guard own.count == 3, own.contains(where: { $0 != 0xFF }) else { return nil }
        let speed = Int(own[0]) | Int(own[1] & 0x0F) << 8
        let distance = Int(own[1] >> 4) | Int(own[2]) << 4
        sum += (distance - last) & 0xFFF
        last = distance
        return (Double(speed) / 100, Double(sum) / 16)
    }
}
