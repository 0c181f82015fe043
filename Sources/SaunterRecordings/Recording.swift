/// The kinds of files that walks are read from; the raw value is what `?format=` takes.
package enum RecordingFormat: String, Sendable, Hashable, CaseIterable {
    /// Garmin's Training Center.
    case tcx
    case gpx
    /// Garmin's binary activity file.
    case fit
    /// `export.xml` of Apple's Health.
    case healthkit
}

/// What a file of a watch or phone holds.
package struct Recording: Sendable {
    package let format: RecordingFormat
    /// In the order of their starts; never empty.
    package let walks: [RecordedWalk]
    /// What could not be used, for the person who imports.
    package let remarks: [String]

    /// Walks of one file that are read; more are a fault.
    package static let maximumWalks = 10_000
    /// Points of one walk that are read. A walk that is stored has fewer samples, see `WalkSeries.maximumSamples`.
    static let maximumPoints = 200_000
    private static let maximumRemarks = 100

    /// Reads a file.
    /// - Parameter format: what it must be; nil takes whatever of these it is.
    /// - Throws: `RecordingFault` for files of another kind, for broken ones and for those without any walk.
    package init(_ source: RecordingSource, format expected: RecordingFormat? = nil) throws(RecordingFault) {
        let reading: RecordingReading
        if FITFile.isLikely(try source.open().next()) {
            format = .fit
            try Self.check(expected, is: .fit)
            reading = try FITRecording.read(source)
        } else {
            var reader = try XMLReader(source)
            guard let root = try reader.child() else { throw reader.fault() }
            switch root.name {
            case "TrainingCenterDatabase": format = .tcx
            case "gpx": format = .gpx
            case "HealthData": format = .healthkit
            default: throw RecordingFault("this is neither TCX, GPX, FIT nor an export of HealthKit")
            }
            try Self.check(expected, is: format)
            switch format {
            case .tcx: reading = try TCXRecording.read(&reader)
            case .gpx: reading = try GPXRecording.read(&reader, root)
            default: reading = try HealthKitExport.read(source)
            }
        }
        walks = reading.walks.sorted { $0.startedAt < $1.startedAt }
        remarks = Array(reading.remarks.prefix(Self.maximumRemarks))
    }

    private static func check(
        _ expected: RecordingFormat?, is format: RecordingFormat
    ) throws(RecordingFault) {
        guard let expected, expected != format else { return }
        throw RecordingFault("this is \(format.rawValue), not \(expected.rawValue)")
    }
}

/// What a reader has found.
struct RecordingReading {
    var walks: [RecordedWalk] = []
    var remarks: [String] = []

    /// - Parameter left: what else of the walk could not be used.
    /// - Throws: `RecordingFault` when there are too many.
    mutating func add(_ walk: RecordedWalk, left: [String] = []) throws(RecordingFault) {
        guard walks.count < Recording.maximumWalks else {
            throw RecordingFault("it holds more than \(Recording.maximumWalks) walks")
        }
        walks.append(walk)
        remarks += (left + walk.remarks).map { "the walk of \(walk.startedAt): \($0)" }
    }
}
