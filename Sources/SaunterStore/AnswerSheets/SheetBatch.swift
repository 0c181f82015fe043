import Postgres
import SaunterCore

/// Decides the result of every sheet of a batch: before writing, from the stored rows; after writing, from the sheets
/// that already existed. The transaction has locked the enrolments, so nothing changes in between. Pure.
struct SheetBatch {
    /// The key of an occasion.
    struct OccasionKey: Hashable {
        var enrolment: EnrolmentID
        var occasion: OccasionID
    }

    /// What the batch does with one submission.
    enum Step: Hashable {
        /// Writes it, for the first time or again.
        case write(duplicateOf: SheetID?)
        /// The same id occurs earlier in this batch. The submission is compared with that one after writing.
        case compare
        /// Its enrolment or its occasion does not exist.
        case gone
    }

    let submissions: [SheetSubmission]
    /// One step per submission.
    let steps: [Step]
    /// If a batch contains an id twice, the first submission is written, as without batching.
    /// - Parameters:
    ///   - stored: the sheets with an occasion that exist already. Sheets without an occasion need not be looked up.
    ///   - fulfilled: for each existing occasion the sheet that fulfils it; nil while it is open.
    ///   - isPresent: whether an enrolment exists.
    init(
        _ submissions: [SheetSubmission], stored: Set<RecordKey> = [],
        fulfilled: [OccasionKey: SheetID?] = [:],
        isPresent: (EnrolmentID) -> Bool = { _ in true }
    ) {
        var seen: Set<RecordKey> = []
        var fulfilled = fulfilled
        var adjusted = submissions
        steps = submissions.enumerated().map { index, submission in
            guard isPresent(submission.enrolment) else { return .gone }
            let key = submission.key
            if seen.contains(key) { return .compare }
            guard let occasion = submission.occasion, !stored.contains(key) else {
                seen.insert(key)
                return .write(duplicateOf: nil)
            }
            let named = OccasionKey(enrolment: submission.enrolment, occasion: occasion)
            guard let fulfilledBy = fulfilled[named] else { return .gone }
            seen.insert(key)
            if let fulfilledBy {
                guard submission.yieldsOccasion else { return .write(duplicateOf: fulfilledBy) }
                adjusted[index] = submission.withoutOccasion
                return .write(duplicateOf: nil)
            }
            if submission.fulfilsOccasion { fulfilled[named] = .some(submission.sheet) }
            return .write(duplicateOf: nil)
        }
        self.submissions = adjusted
    }

    /// One receipt per submission, in order.
    /// - Parameter found: the digests of the sheets that already existed when they were written.
    func receipts(found: [RecordKey: [UInt8]]) -> [StorageReceipt] {
        var digests = found
        var receipts: [StorageReceipt] = []
        receipts.reserveCapacity(submissions.count)
        for (submission, step) in zip(submissions, steps) {
            let key = submission.key
            switch step {
            case .gone: receipts.append(.gone)
            case .write(let duplicateOf) where found[key] == nil:
                digests[key] = submission.digest
                receipts.append(duplicateOf.map(StorageReceipt.duplicate) ?? .stored)
            case .write, .compare:
                receipts.append(digests[key] == submission.digest ? .replayed : .conflict)
            }
        }
        return receipts
    }
}
