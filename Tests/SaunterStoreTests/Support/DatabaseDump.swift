import Foundation
import SaunterTesting

extension StoreFixture {
    /// The complete database as `pg_dump` writes it: what an attacker who copies the database gets.
    func dump() async throws -> String {
        let program = Process()
        program.executableURL = URL(filePath: "/usr/bin/env")
        program.arguments = ["pg_dump", "-d", database.connectionString]
        let output = Pipe()
        program.standardOutput = output
        try program.run()
        // Reading blocks, so it does not run on a thread that other tests need.
        let bytes = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: output.fileHandleForReading.readDataToEndOfFile())
            }
        }
        program.waitUntilExit()
        guard program.terminationStatus == 0 else {
            throw TestingFault("pg_dump ended with \(program.terminationStatus)")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
