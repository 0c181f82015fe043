/// What one term of a scale comes to on one sheet.
enum TermValue {
    enum Blank { case plain, notShown, declined, leftOut, leftOutNotShown }

    case known(Quantity, count: Int)
    case blank(Blank)
    /// An earlier scale that an exclusion made null, with the exclusion's id.
    case excluded(String?)
}

/// The terms of a scale on one sheet, gathered.
struct Tally {
    private(set) var itemCount = 0
    private(set) var answered = 0
    private(set) var imputed = 0
    /// Why the scale is null if it needs what is missing.
    private(set) var hasPlainBlank = false
    private(set) var hasNotShown = false
    private(set) var hasDeclined = false
    private(set) var excludedBy: String??
    /// The values in the terms' order, unweighted, with those of the terms that they are of.
    private(set) var values: [(value: Quantity, term: Int)] = []
    private(set) var blankTerms: [Int] = []
    private var count = 0

    mutating func take(_ value: TermValue, term: Int) {
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
        case .excluded(let id):
            itemCount += 1
            hasPlainBlank = true
            if excludedBy == nil { excludedBy = .some(id) }
        }
    }

    /// Why too few are answered.
    var reason: ScoreReason {
        if hasPlainBlank { return .tooFewAnswered }
        if hasDeclined { return .declined }
        return hasNotShown ? .notShown : .tooFewAnswered
    }

    /// Fills in every blank term; false where there is nothing to fill it in with.
    mutating func impute(_ way: Imputation, _ planned: PlannedScale) -> Bool {
        let filling = values.isEmpty ? nil : standIn(way)
        for term in blankTerms {
            guard let value = way == .midpoint ? planned.terms[term].midpoint : filling else { return false }
            let place = values.firstIndex { $0.term > term } ?? values.count
            values.insert((value, term), at: place)
            count += planned.count(value)
            imputed += 1
        }
        return true
    }

    private func standIn(_ way: Imputation) -> Quantity? {
        switch way {
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

    /// Sums and counts are brought up to all items where `isProrated`; the rest are of the answered ones. Nil
    /// where there is no such number.
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

    /// A weighted mean is of the weights of what is answered; a weighted sum is brought up to all weights.
    private func weighted(_ sum: Quantity, _ planned: PlannedScale, isProrated: Bool) -> Quantity? {
        let known = values.reduce(Quantity.zero) { $0 + planned.terms[$1.term].weight }
        if planned.scale.method == .mean { return sum.divided(by: known) }
        guard isProrated, !blankTerms.isEmpty else { return sum }
        let all = blankTerms.reduce(known) { $0 + planned.terms[$1].weight }
        return (sum * all).divided(by: known)
    }

    private func prorated(_ total: Quantity) -> Quantity {
        values.count == itemCount ? total : (total * Quantity(itemCount)).divided(by: values.count)
    }
}

extension PlannedScale {
    /// What a value adds to a count.
    func count(_ value: Quantity) -> Int {
        counted.map { $0.contains(value) ? 1 : 0 } ?? (value == .zero ? 0 : 1)
    }
}
