/// The file formats from which walks are imported. The raw values are the values of `?format=`.
package enum RecordingFormat: String, Sendable, Hashable, CaseIterable {
    /// Training Center XML of Garmin.
    case tcx
    /// GPS Exchange Format.
    case gpx
    /// The binary activity file of Garmin.
    case fit
    /// `export.xml` of Apple Health.
    case healthkit
}

/// The walks of a file of a watch or phone.
package struct Recording: Sendable {
    /// The format of the file.
    package let format: RecordingFormat
    /// The walks, sorted by start; never empty.
    package let walks: [RecordedWalk]
    /// Phrases in English about data that could not be used, for the participant; at most 100.
    package let remarks: [String]

    /// The maximum number of walks in one file.
    package static let maximumWalks = 10_000
    /// The maximum number of points of one walk in a file. A stored walk has fewer samples, see
    /// `WalkSeries.maximumSamples`.
    static let maximumPoints = 200_000
    private static let maximumRemarks = 100

    /// Reads a file.
    /// - Parameters:
    ///   - source: the bytes.
    ///   - format: the required format; nil detects the format.
    /// - Throws: `RecordingFault` if the format is wrong, or the file is damaged or contains no walk.
    package init(_ source: RecordingSource, format expected: RecordingFormat? = nil) throws(RecordingFault) {
        let contents: RecordingContents
        if FITFile.isLikely(try source.open().next()) {
            format = .fit
            try Self.check(expected, is: .fit)
            contents = try FITRecording.read(source)
        } else {
            var reader = try XMLReader(source)
            guard let root = try reader.child() else { throw reader.fault() }
            switch root.name {
            case "TrainingCenterDatabase": format = .tcx
            case "gpx": format = .gpx
            case "HealthData": format = .healthkit
            default: throw RecordingFault("the file is neither TCX, GPX, FIT nor a HealthKit export")
            }
            try Self.check(expected, is: format)
            switch format {
            case .tcx: contents = try TCXRecording.read(&reader)
            case .gpx: contents = try GPXRecording.read(&reader, root)
            default: contents = try HealthKitExport.read(source)
            }
        }
        walks = contents.walks.sorted { $0.startedAt < $1.startedAt }
        remarks = Array(contents.remarks.prefix(Self.maximumRemarks))
    }

    private static func check(
        _ expected: RecordingFormat?, is format: RecordingFormat
    ) throws(RecordingFault) {
        guard let expected, expected != format else { return }
        throw RecordingFault("the file is \(format.rawValue), not \(expected.rawValue)")
    }
}

/// The walks and remarks that a reader found.
struct RecordingContents {
    var walks: [RecordedWalk] = []
    var remarks: [String] = []

    /// Adds a walk.
    /// - Parameter discarded: remarks about further data of the walk that could not be used.
    /// - Throws: `RecordingFault` if the file has too many walks.
    mutating func add(_ walk: RecordedWalk, discarded: [String] = []) throws(RecordingFault) {
        guard walks.count < Recording.maximumWalks else {
            throw RecordingFault("the file contains more than \(Recording.maximumWalks) walks")
        }
        walks.append(walk)
        remarks += (discarded + walk.remarks).map { "the walk of \(walk.startedAt): \($0)" }
    }
}
