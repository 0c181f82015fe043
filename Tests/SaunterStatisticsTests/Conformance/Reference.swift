import Foundation
import Testing

@testable import SaunterStatistics

/// Data and statistics of R and its package psych. `reference.R` computes them once for all tests.
struct Reference: Sendable {
    private let figures: [String: [Double]]
    private let tables: [String: [[Double?]]]

    static let made = Result { try Reference() }

    private init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "reference-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // The directory has a unique name, so files that remain after a failure do no harm.
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "reference.R")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["Rscript", "--vanilla", script.path, folder.path]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(
            process.terminationStatus == 0,
            "The test needs R with psych: apt-get install r-base-core r-cran-psych r-cran-gparotation")
        var figures: [String: [Double]] = [:]
        for line in try Self.lines(folder, "figures") {
            figures["\(line[0]) \(line[1])", default: []].append(try #require(Double(line[3])))
        }
        self.figures = figures
        var tables: [String: [[Double?]]] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let name = String(file.dropLast(".csv".count))
            guard name != "figures" else { continue }
            let lines = try Self.lines(folder, name)
            let width = try #require(lines.first).count
            tables[name] = (0..<width).map { item in lines.map { Double($0[item]) } }
        }
        self.tables = tables
    }

    func figures(_ scale: String, _ figure: String) throws -> [Double] {
        try #require(figures["\(scale) \(figure)"], "\(scale) \(figure)")
    }

    func figure(_ scale: String, _ figure: String) throws -> Double {
        try #require(try figures(scale, figure).first)
    }

    func table(_ scale: String) throws -> ItemTable {
        try ItemTable(columns: try #require(tables[scale]))
    }

    /// The lines of R's CSV without the header and without quotes. No field contains a comma.
    private static func lines(_ folder: URL, _ name: String) throws -> [[String]] {
        try String(contentsOf: folder.appending(path: "\(name).csv"), encoding: .utf8)
            .split(separator: "\n").dropFirst()
            .map { line in
                line.replacing("\"", with: "").split(separator: ",", omittingEmptySubsequences: false)
                    .map(String.init)
            }
    }
}

/// Whether two numbers are equal within a relative tolerance, or within an absolute tolerance below 1.
func agree(_ left: Double, _ right: Double, within tolerance: Double = 1e-9) -> Bool {
    (left - right).magnitude <= tolerance * max(1, right.magnitude)
}
