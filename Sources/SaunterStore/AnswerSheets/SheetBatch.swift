import Postgres
import SaunterCore

/// Decides what becomes of every sheet of a batch, from what the locked rows say. Pure, so that every race can be played through in a test.
struct SheetBatch {
    struct Key: Hashable {
        var enrolment: EnrolmentID
        var sheet: SheetID
    }

    struct Place: Hashable {
        var enrolment: EnrolmentID
        var occasion: OccasionID
    }

    /// Digest of the body that each known sheet came with.
    var stored: [Key: [UInt8]]
    /// The sheet that settled each locked occasion; nil while it is free.
    var settled: [Place: SheetID?]

    /// One receipt per submission, in order. Within a batch the first wins, as it would have alone.
    mutating func receipts(for submissions: [SheetSubmission]) -> [SheetReceipt] {
        submissions.map { submission in
            let key = Key(enrolment: submission.enrolment, sheet: submission.sheet)
            if let digest = stored[key] {
                return digest == submission.digest ? .replayed : .conflict
            }
            guard let occasion = submission.occasion else {
                stored[key] = submission.digest
                return .stored(duplicateOf: nil)
            }
            let place = Place(enrolment: submission.enrolment, occasion: occasion)
            guard let settledBy = settled[place] else { return .gone }
            stored[key] = submission.digest
            if let settledBy { return .stored(duplicateOf: settledBy) }
            if submission.completes { settled[place] = .some(submission.sheet) }
            return .stored(duplicateOf: nil)
        }
    }
}

/// Somebody else wrote the same sheet between our look and our write; the batch is done again and then sees it.
struct SheetRace: Error {}
