import Postgres
import SaunterCore

/// Decides the result of every sheet of a batch: before writing, from the locked rows; after writing, from the sheets
/// that already existed. Pure, so that a test can cover every race.
struct SheetBatch {
    /// The key of a sheet.
    struct Key: Hashable {
        var enrolment: EnrolmentID
        var sheet: SheetID
    }

    /// The key of an occasion row that the batch has locked.
    struct LockedOccasion: Hashable {
        var enrolment: EnrolmentID
        var occasion: OccasionID
    }

    /// What the batch does with one submission.
    enum Step: Hashable {
        /// Writes it, for the first time or again.
        case write(duplicateOf: SheetID?)
        /// The same id occurs earlier in this batch. The submission is compared with that one after writing.
        case compare
        /// Its occasion no longer exists.
        case gone
    }

    let submissions: [SheetSubmission]
    /// One step per submission.
    let steps: [Step]
    /// The sheets that existed before writing.
    private let known: Set<Key>

    /// If a batch contains an id twice, the first submission is written, as without batching.
    /// - Parameters:
    ///   - stored: the sheets with an occasion that exist already. Sheets without an occasion need not be looked up.
    ///   - fulfilled: for each locked occasion the sheet that fulfils it; nil while it is open.
    init(_ submissions: [SheetSubmission], stored: Set<Key> = [], fulfilled: [LockedOccasion: SheetID?] = [:])
    {
        known = stored
        var seen: Set<Key> = []
        var fulfilled = fulfilled
        var adjusted = submissions
        steps = submissions.enumerated().map { index, submission in
            let key = Key(submission)
            if seen.contains(key) { return .compare }
            guard let occasion = submission.occasion, !stored.contains(key) else {
                seen.insert(key)
                return .write(duplicateOf: nil)
            }
            let locked = LockedOccasion(enrolment: submission.enrolment, occasion: occasion)
            guard let fulfilledBy = fulfilled[locked] else { return .gone }
            seen.insert(key)
            if let fulfilledBy {
                guard submission.yieldsOccasion else { return .write(duplicateOf: fulfilledBy) }
                adjusted[index] = submission.withoutOccasion
                return .write(duplicateOf: nil)
            }
            if submission.fulfilsOccasion { fulfilled[locked] = .some(submission.sheet) }
            return .write(duplicateOf: nil)
        }
        self.submissions = adjusted
    }

    /// One receipt per submission, in order.
    /// - Parameter found: the digests of the sheets that already existed when they were written.
    /// - Throws: `ConcurrentSheetWrite` if a decision from before writing was wrong.
    func receipts(found: [Key: [UInt8]]) throws(ConcurrentSheetWrite) -> [SheetReceipt] {
        var digests = found
        var receipts: [SheetReceipt] = []
        receipts.reserveCapacity(submissions.count)
        for (submission, step) in zip(submissions, steps) {
            let key = Key(submission)
            switch step {
            case .gone: receipts.append(.gone)
            case .write(let duplicateOf) where found[key] == nil:
                if known.contains(key) { throw ConcurrentSheetWrite() }
                digests[key] = submission.digest
                receipts.append(.stored(duplicateOf: duplicateOf))
            case .write, .compare:
                // Another transaction wrote the sheet in the meantime. It may have fulfilled the occasion.
                if step != .compare, submission.occasion != nil, !known.contains(key) {
                    throw ConcurrentSheetWrite()
                }
                receipts.append(digests[key] == submission.digest ? .replayed : .conflict)
            }
        }
        return receipts
    }
}

extension SheetBatch.Key {
    init(_ submission: SheetSubmission) {
        self.init(enrolment: submission.enrolment, sheet: submission.sheet)
    }
}

/// Another transaction wrote or removed a sheet of this batch between the read and the write. The batch is retried and
/// then sees the change.
struct ConcurrentSheetWrite: Error {}
