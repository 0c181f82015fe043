/// The reliability of a scale that the same people answer on several occasions, from the variance components of the
/// crossed design person × occasion × item. They are the generalizability coefficients RkF, RkR and Rc of Cranford et
/// al. (2006), "A procedure for evaluating sensitivity to within-person change", Personality and Social Psychology
/// Bulletin 32, 917–929. With k occasions, m items and the variances of people (p), occasions (t) and items (i):
///
///     RkF = (σ²p + σ²pi/m) / (σ²p + σ²pi/m + σ²e/(km))
///     RkR = (σ²p + σ²pi/m) / (σ²p + σ²pi/m + σ²t/k + σ²pt/k + σ²e/(km))
///     Rc  = σ²pt / (σ²pt + σ²e/m)
///
/// The components are those of an analysis of variance of the balanced design, as in `psych::multilevel.reliability`
/// in R. A negative estimate of a component counts as 0.
package struct MultilevelReliability: Sendable, Hashable {
    /// The number of people in the balanced design.
    package let personCount: Int
    /// The number of occasions of each person.
    package let occasionCount: Int
    /// The number of items of each occasion.
    package let itemCount: Int
    /// The variance component of people: σ²p. The next four are those of occasions, of people with occasions, of people
    /// with items, and of the residual.
    private let person: Double
    private let occasion: Double
    private let personOccasion: Double
    private let personItem: Double
    private let residual: Double

    /// Uses complete sheets only. Occasion j is the j-th complete sheet of each person.
    /// The number of occasions is chosen so that the balanced design has as many sheets as possible. If two
    /// numbers give equally many sheets, the larger number is used.
    /// - Parameter people: the answers of each sheet of each person. The sheets are in order of time.
    ///   Answers to reverse-keyed items are already reversed. All sheets have the same items.
    /// - Throws: `.noValues`; `.tooFewItems` for fewer than two items; `.tooFewValues` for fewer than two people with
    ///   two complete sheets; `.lengthsDiffer`; `.notFinite`.
    package init(_ people: [[[Double?]]]) throws(UndefinedStatistic) {
        let complete = people.map { sheets in
            sheets.filter { !$0.contains(nil) }.map { $0.compactMap(\.self) }
        }
        guard let itemCount = people.lazy.joined().first?.count else { throw .noValues }
        guard itemCount > 1 else { throw .tooFewItems }
        guard people.allSatisfy({ $0.allSatisfy { $0.count == itemCount } }) else { throw .lengthsDiffer }
        guard let occasionCount = Self.occasionCount(complete.map(\.count)) else { throw .tooFewValues }
        let cube = complete.filter { $0.count >= occasionCount }.map { Array($0.prefix(occasionCount)) }
        self.itemCount = itemCount
        self.occasionCount = occasionCount
        personCount = cube.count
        let squares = MeanSquares(cube)
        let (n, k, m) = (Double(cube.count), Double(occasionCount), Double(itemCount))
        func component(_ value: Double) throws(UndefinedStatistic) -> Double { try max(0, value.finite()) }
        residual = try component(squares.residual)
        person = try component(
            (squares.person - squares.personOccasion - squares.personItem + squares.residual) / (k * m))
        occasion = try component(
            (squares.occasion - squares.personOccasion - squares.occasionItem + squares.residual) / (n * m))
        personOccasion = try component((squares.personOccasion - squares.residual) / m)
        personItem = try component((squares.personItem - squares.residual) / k)
    }

    /// The number of sheets in the balanced design.
    package var sheetCount: Int { personCount * occasionCount }

    /// RkF: the reliability of differences between people in their mean over the same occasions.
    package var betweenFixed: Estimate<Double> {
        Self.ratio(trueVariance, error: residual / Double(sheetItemCount))
    }

    /// RkR: the same if the occasions are a random sample of possible occasions.
    package var betweenRandom: Estimate<Double> {
        let occasionError = (occasion + personOccasion) / Double(occasionCount)
        return Self.ratio(trueVariance, error: occasionError + residual / Double(sheetItemCount))
    }

    /// Rc: the reliability of changes within a person from one occasion to another.
    package var within: Estimate<Double> { Self.ratio(personOccasion, error: residual / Double(itemCount)) }

    private var trueVariance: Double { person + personItem / Double(itemCount) }
    private var sheetItemCount: Int { occasionCount * itemCount }

    private static func ratio(_ variance: Double, error: Double) -> Estimate<Double> {
        variance + error > 0 ? .success(variance / (variance + error)) : .failure(.noVariation)
    }

    /// Nil if fewer than two people have two sheets.
    private static func occasionCount(_ counts: [Int]) -> Int? {
        let sorted = counts.sorted(by: >)
        // If the design has n people, the n-th largest number of sheets is the largest possible number of occasions.
        let designs = sorted.enumerated().dropFirst().map { (occasions: $1, sheets: ($0 + 1) * $1) }
        return designs.filter { $0.occasions > 1 }
            .max { ($0.sheets, $0.occasions) < ($1.sheets, $1.occasions) }?.occasions
    }
}

/// The mean squares of a balanced design with one value for each person, occasion and item.
private struct MeanSquares {
    let person: Double
    let occasion: Double
    let personOccasion: Double
    let personItem: Double
    let occasionItem: Double
    let residual: Double

    /// - Parameter cube: the values by person, occasion and item.
    init(_ cube: [[[Double]]]) {
        let (n, k, m) = (cube.count, cube[0].count, cube[0][0].count)
        let personOccasions = cube.map { $0.map { Moments.mean($0) } }
        let personItems = cube.map { sheets in (0..<m).map { item in Moments.mean(sheets.map { $0[item] }) } }
        let occasionItems = (0..<k).map { occasion in
            (0..<m).map { item in Moments.mean(cube.map { $0[occasion][item] }) }
        }
        let people = personItems.map { Moments.mean($0) }
        let occasions = occasionItems.map { Moments.mean($0) }
        let items = (0..<m).map { item in Moments.mean(occasionItems.map { $0[item] }) }
        let general = Moments.mean(people)

        func square(_ value: Double) -> Double { value * value }
        /// The sum of squared interactions of two factors.
        func interaction(_ means: [[Double]], _ rows: [Double], _ columns: [Double]) -> Double {
            zip(means, rows).reduce(0) { sum, row in
                zip(row.0, columns).reduce(sum) { $0 + square($1.0 - row.1 - $1.1 + general) }
            }
        }
        var rest = 0.0
        for p in 0..<n {
            for t in 0..<k {
                for i in 0..<m {
                    let pairMeans = personOccasions[p][t] + personItems[p][i] + occasionItems[t][i]
                    rest += square(cube[p][t][i] - pairMeans + people[p] + occasions[t] + items[i] - general)
                }
            }
        }
        /// - Parameter values: the number of values behind each mean whose squared deviation is in the sum.
        func meanSquare(_ sum: Double, _ values: Int, _ degreesOfFreedom: Int) -> Double {
            sum * Double(values) / Double(degreesOfFreedom)
        }
        person = meanSquare(people.reduce(0) { $0 + square($1 - general) }, k * m, n - 1)
        occasion = meanSquare(occasions.reduce(0) { $0 + square($1 - general) }, n * m, k - 1)
        personOccasion = meanSquare(interaction(personOccasions, people, occasions), m, (n - 1) * (k - 1))
        personItem = meanSquare(interaction(personItems, people, items), k, (n - 1) * (m - 1))
        occasionItem = meanSquare(interaction(occasionItems, occasions, items), n, (k - 1) * (m - 1))
        residual = meanSquare(rest, 1, (n - 1) * (k - 1) * (m - 1))
    }
}
