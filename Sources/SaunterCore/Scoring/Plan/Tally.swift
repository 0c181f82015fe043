/// The value of one term of a scale on one sheet.
enum TermValue {
    /// Why a term has no value.
    enum Blank { case plain, notShown, declined, leftOut, leftOutNotShown }

    case known(Quantity, count: Int)
    case blank(Blank)
    /// The term is an earlier scale whose items are answered, but whose score is null for this reason.
    case uncomputed(ScoreReason)
    /// The term is an earlier scale whose score is null because of an exclusion; with the id of the exclusion.
    case excluded(String?)
}

/// Collects the terms of a scale on one sheet and combines them.
struct Tally {
    private(set) var itemCount = 0
    private(set) var answered = 0
    private(set) var imputed = 0
    /// Whether a term has a blank of this kind. The kinds decide the reason of a null score.
    private(set) var hasPlainBlank = false
    private(set) var hasNotShown = false
    private(set) var hasDeclined = false
    /// The id of the exclusion of the first excluded term, which may be nil. Nil if no term is excluded.
    private(set) var excludedBy: String??
    /// The reason of the first term that is an earlier scale without a computable score.
    private(set) var inherited: ScoreReason?
    /// The values without weights, in the order of the terms, with the index of their term.
    private(set) var values: [(value: Quantity, term: Int)] = []
    private(set) var blankTerms: [Int] = []
    private var count = 0

    /// Adds the value of the term with this index.
    mutating func add(_ value: TermValue, term: Int) {
        switch value {
        case .known(let value, let count):
            itemCount += 1
            answered += 1
            self.count += count
            values.append((value, term))
        case .blank(.leftOut): break
        case .blank(.leftOutNotShown): hasNotShown = true
        case .blank(let blank):
            itemCount += 1
            blankTerms.append(term)
            switch blank {
            case .notShown: hasNotShown = true
            case .declined: hasDeclined = true
            default: hasPlainBlank = true
            }
        case .uncomputed(let reason):
            itemCount += 1
            blankTerms.append(term)
            if inherited == nil { inherited = reason }
        case .excluded(let id):
            itemCount += 1
            hasPlainBlank = true
            if excludedBy == nil { excludedBy = .some(id) }
        }
    }

    /// The reason of the null score if too few terms have a value.
    var reason: ScoreReason {
        if let inherited { return inherited }
        if hasPlainBlank { return .tooFewAnswered }
        if hasDeclined { return .declined }
        return hasNotShown ? .notShown : .tooFewAnswered
    }

    /// Fills in all blank terms. Returns false if a replacement value does not exist.
    mutating func impute(_ imputation: Imputation, _ planned: PlannedScale) -> Bool {
        let replacement = values.isEmpty ? nil : replacement(imputation)
        for term in blankTerms {
            let value = imputation == .midpoint ? planned.terms[term].midpoint : replacement
            guard let value else { return false }
            values.insert((value, term), at: values.firstIndex { $0.term > term } ?? values.count)
            count += planned.count(value)
            imputed += 1
        }
        return true
    }

    /// The value for all blank terms; nil for `midpoint`, which differs from term to term.
    private func replacement(_ imputation: Imputation) -> Quantity? {
        switch imputation {
        case .constant(let value): return Quantity(value)
        case .personMean: return values.reduce(Quantity.zero) { $0 + $1.value }.divided(by: values.count)
        case .personMedian:
            let sorted = values.map(\.value).sorted(by: <)
            let middle = sorted.count / 2
            return sorted.count % 2 == 1
                ? sorted[middle] : (sorted[middle - 1] + sorted[middle]).divided(by: 2)
        case .midpoint: return nil
        }
    }

    /// The result of the method. Returns nil if the number does not exist.
    /// - Parameter isProrated: whether sums and counts are prorated to all items. Otherwise they use the answered
    ///   items.
    func result(of planned: PlannedScale, isProrated: Bool) -> Quantity? {
        switch planned.scale.method {
        case .sum, .value, .mean:
            let sum = values.reduce(Quantity.zero) { sum, one in
                sum + (planned.isWeighted ? one.value * planned.terms[one.term].weight : one.value)
            }
            if planned.isWeighted { return weighted(sum, planned, isProrated: isProrated) }
            if planned.scale.method == .mean { return sum.divided(by: values.count) }
            return isProrated ? prorated(sum) : sum
        case .count: return isProrated ? prorated(Quantity(count)) : Quantity(count)
        case .minimum: return values.map(\.value).min(by: <)
        case .maximum: return values.map(\.value).max(by: <)
        case .product: return values.reduce(Quantity(1)) { $0 * $1.value }
        case .quotient: return values.count == 2 ? values[0].value.divided(by: values[1].value) : nil
        case .difference: return values.count == 2 ? values[0].value - values[1].value : nil
        case .elapsed:
            guard values.count == 2 else { return nil }
            let length = values[1].value - values[0].value
            return (planned.isOnClock ? length.wrapped(by: Quantity(86_400)) : length)?
                .divided(by: (planned.scale.unit ?? .minutes).seconds)
        case .clock: return values.first?.value.divided(by: (planned.scale.unit ?? .minutes).seconds)
        }
    }

    /// A weighted mean uses the weights of the answered items. A weighted sum is prorated to the sum of all weights.
    private func weighted(_ sum: Quantity, _ planned: PlannedScale, isProrated: Bool) -> Quantity? {
        let known = values.reduce(Quantity.zero) { $0 + planned.terms[$1.term].weight }
        if planned.scale.method == .mean { return sum.divided(by: known) }
        guard isProrated, !blankTerms.isEmpty else { return sum }
        let all = blankTerms.reduce(known) { $0 + planned.terms[$1].weight }
        return (sum * all).divided(by: known)
    }

    /// The total, extrapolated from the answered items to all items.
    private func prorated(_ total: Quantity) -> Quantity {
        values.count == itemCount ? total : (total * Quantity(itemCount)).divided(by: values.count)
    }
}

extension PlannedScale {
    /// What a value adds to a count: 1 or 0.
    func count(_ value: Quantity) -> Int {
        counted.map { $0.contains(value) ? 1 : 0 } ?? (value == .zero ? 0 : 1)
    }
}
