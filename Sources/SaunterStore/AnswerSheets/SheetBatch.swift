import Postgres
import SaunterCore

/// Decides what becomes of every sheet of a batch: before writing from what the locked rows say, and afterwards from what the writing found. Pure,
/// so that every race can be played through in a test.
struct SheetBatch {
    struct Key: Hashable {
        var enrolment: EnrolmentID
        var sheet: SheetID
    }

    struct Place: Hashable {
        var enrolment: EnrolmentID
        var occasion: OccasionID
    }

    /// What is done about one submission.
    enum Step: Hashable {
        /// It is written, for the first or another time.
        case write(duplicateOf: SheetID?)
        /// Its id stands in this batch before: it is compared with what that one came to.
        case compare
        /// Its occasion is not there any more.
        case gone
    }

    let submissions: [SheetSubmission]
    /// One per submission.
    let steps: [Step]
    /// Those that were known before writing.
    private let known: Set<Key>

    /// Within a batch the first wins, as it would have alone.
    /// - Parameters:
    ///   - stored: which sheets with an occasion are known to be there; of sheets without one nothing needs to be known.
    ///   - settled: the sheet that settled each locked occasion; nil while it is free.
    init(_ submissions: [SheetSubmission], stored: Set<Key> = [], settled: [Place: SheetID?] = [:]) {
        self.submissions = submissions
        known = stored
        var seen: Set<Key> = []
        var settled = settled
        steps = submissions.map { submission in
            let key = Key(submission)
            if seen.contains(key) { return .compare }
            guard let occasion = submission.occasion, !stored.contains(key) else {
                seen.insert(key)
                return .write(duplicateOf: nil)
            }
            let place = Place(enrolment: submission.enrolment, occasion: occasion)
            guard let settledBy = settled[place] else { return .gone }
            seen.insert(key)
            if let settledBy { return .write(duplicateOf: settledBy) }
            if submission.completes { settled[place] = .some(submission.sheet) }
            return .write(duplicateOf: nil)
        }
    }

    /// One receipt per submission, in order.
    /// - Parameter found: the digests of those sheets that were there already when they were written.
    /// - Throws: `SheetRace` when what was decided before writing did not hold.
    func receipts(found: [Key: [UInt8]]) throws(SheetRace) -> [SheetReceipt] {
        var held = found
        var receipts: [SheetReceipt] = []
        receipts.reserveCapacity(submissions.count)
        for (submission, step) in zip(submissions, steps) {
            let key = Key(submission)
            switch step {
            case .gone: receipts.append(.gone)
            case .write(let duplicateOf) where found[key] == nil:
                if known.contains(key) { throw SheetRace() }
                held[key] = submission.digest
                receipts.append(.stored(duplicateOf: duplicateOf))
            case .write, .compare:
                // Its occasion may be held by a sheet that is not what it was taken for.
                if step != .compare, submission.occasion != nil, !known.contains(key) { throw SheetRace() }
                receipts.append(held[key] == submission.digest ? .replayed : .conflict)
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

/// Somebody else wrote the same sheet between our look and our write; the batch is done again and then sees it.
struct SheetRace: Error {}
