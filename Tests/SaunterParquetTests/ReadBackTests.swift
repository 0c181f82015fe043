import Foundation
import SaunterParquet
import Testing

@Suite struct ReadBackTests {
    @Test func `pyarrow, DuckDB and polars read the values, types and bounds that were written`()
        throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "parquet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for sample in ParquetSample.all { try sample.write(to: folder) }
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "Fixtures/read_back.py")

        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let python = ProcessInfo.processInfo.environment["SAUNTER_TEST_PYTHON"] ?? "python3"
        process.arguments = [python, script.path, folder.path]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()

        #expect(
            process.terminationStatus == 0 && output.hasPrefix("\(ParquetSample.all.count) files"),
            "\(output)\nThe test needs pyarrow, duckdb and polars: set SAUNTER_TEST_PYTHON")
    }
}
