import Postgres

/// Assigns sequence numbers to the committed changes of a study. Readers run it; writers never wait for it.
package enum ChangeNumbering {
    private static let changesPerBatch = 10_000

    /// Assigns a number to every change that was committed since the last run.
    /// - Parameters:
    ///   - pool: with the role `saunter_research`.
    ///   - batches: the maximum number of batches of 10,000 changes. The remaining changes stay without a number.
    /// - Returns: the last assigned number.
    @discardableResult
    package static func run(_ study: String, on pool: Pool, batches: Int = .max) async throws -> Int64 {
        var remaining = batches
        while true {
            let (last, isDone) = try await pool.writeRetrying(idempotent: true) {
                transaction -> (Int64, Bool) in
                let counter = try await transaction.query(
                    Statements.changes["lock_change_counter"], ["study": .text(study)]
                ).one().get("last_seq", as: Int64.self)
                let erased = try await transaction.query(
                    Statements.changes["number_erasures"], ["study": .text(study), "after": .int8(counter)]
                ).one().get("last_seq", as: Int64.self)
                let row = try await transaction.query(
                    Statements.changes["number_changes"],
                    ["study": .text(study), "after": .int8(erased), "maximum": .int(changesPerBatch)]
                ).one()
                let last: Int64 = try row.get("last_seq")
                if last != counter {
                    _ = try await transaction.query(
                        Statements.changes["set_change_counter"],
                        ["study": .text(study), "last_seq": .int8(last)])
                }
                return (last, try row.get("count", as: Int.self) < changesPerBatch)
            }
            remaining -= 1
            if isDone || remaining <= 0 { return last }
        }
    }
}
