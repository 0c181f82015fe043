import SaunterCore

/// Copies of a key with one mistake each: the mistakes that authors of keys make.
struct KeyMutants {
    let key: ScoringKey
    let items: [String: Item]

    init(_ key: ScoringKey, items: [Item]) {
        self.key = key
        self.items = Dictionary(items.map { ($0.linkId, $0) }) { first, _ in first }
    }

    var all: [(name: String, key: ScoringKey)] {
        var all: [(name: String, key: ScoringKey)] = []
        for (index, scale) in key.scales.enumerated() {
            var mutants: [Mutant] = items(of: scale)
            mutants += numbers(of: scale)
            mutants += bands(of: scale)
            mutants += bins(of: scale)
            mutants += missing(of: scale)
            for mutant in mutants {
                var wrong = key
                wrong.scales[index] = mutant.scale
                all.append(("\(scale.id): \(mutant.name)", wrong))
            }
        }
        return all
    }

    private typealias Mutant = (name: String, scale: Scale)

    private func mutant(_ name: String, _ scale: Scale, _ change: (inout Scale) -> Void) -> Mutant {
        var scale = scale
        change(&scale)
        return (name, scale)
    }

    /// Leaves out an item, or changes whether it is reversed.
    private func items(of scale: Scale) -> [Mutant] {
        guard [.sum, .mean, .minimum, .maximum, .count, .product].contains(scale.method) else { return [] }
        return scale.items.flatMap { name -> [Mutant] in
            var mutants: [Mutant] = []
            if scale.items.count > 1 {
                mutants.append(
                    mutant("without \(name)", scale) {
                        $0.items.removeAll { $0 == name }
                        $0.reverse.removeAll { $0 == name }
                        $0.weights[name] = nil
                        $0.recode[name] = nil
                    })
            }
            if let item = items[name], item.type == .choice, !item.repeats, scale.method != .count {
                mutants.append(
                    mutant("\(name) the other way round", scale) {
                        if $0.reverse.contains(name) {
                            $0.reverse.removeAll { $0 == name }
                        } else {
                            $0.reverse.append(name)
                        }
                    })
            }
            return mutants
        }
    }

    /// Another factor or offset, and a sum instead of a mean.
    private func numbers(of scale: Scale) -> [Mutant] {
        var mutants = [
            mutant("a factor of 10", scale) {
                $0.factor *= 10
                ($0.minimum, $0.maximum) = (nil, nil)
            },
            mutant("an offset of 1", scale) {
                $0.offset += 1
                ($0.minimum, $0.maximum) = (nil, nil)
            },
        ]
        // Bins can map both values to the same class.
        if scale.transform.contains(where: { if case .bins = $0 { true } else { false } }) { mutants = [] }
        if scale.items.count > 1, scale.method == .mean || scale.method == .sum {
            mutants.append(
                mutant("a sum for a mean", scale) {
                    $0.method = scale.method == .mean ? .sum : .mean
                    ($0.minimum, $0.maximum) = (nil, nil)
                })
        }
        return mutants
    }

    /// Moves each edge by one in both directions if scores are whole numbers. Also swaps inclusive and exclusive ends.
    private func bands(of scale: Scale) -> [Mutant] {
        let edges = Set(
            scale.bands.flatMap { [$0.range.from, $0.range.below, $0.range.above, $0.range.upTo] }
        )
        .compactMap(\.self).sorted()
        let isWhole =
            [.sum, .count].contains(scale.method) && scale.factor == scale.factor.rounded()
            && edges.allSatisfy { $0 == $0.rounded() }
        return edges.flatMap { edge -> [Mutant] in
            var mutants: [Mutant] = []
            if Self.isAttainable(edge, of: scale) {
                mutants.append(
                    mutant("the edge \(edge) on its other side", scale) { Self.swapInclusive(edge, of: &$0) })
            }
            if isWhole {
                for step in [-1.0, 1] {
                    mutants.append(
                        mutant("the edge \(edge) at \(edge + step)", scale) {
                            Self.move(edge, by: step * abs(scale.factor), of: &$0)
                        })
                }
            }
            return mutants
        }
    }

    /// Whether a sum or mean of whole answers can have this value. Otherwise a mistake at this edge has no effect.
    private static func isAttainable(_ edge: Double, of scale: Scale) -> Bool {
        let plain = (edge - scale.offset) / scale.factor
        let counts = scale.method == .mean ? Array(1...max(scale.items.count, 1)) : [1]
        return counts.contains { abs(plain * Double($0) - (plain * Double($0)).rounded()) < 1e-9 }
    }

    /// Makes the inclusive ends of bins exclusive.
    private func bins(of scale: Scale) -> [Mutant] {
        scale.transform.indices.flatMap { step -> [Mutant] in
            guard case .bins(let bins) = scale.transform[step] else { return [] }
            return Set(bins.compactMap(\.range.from)).sorted().map { edge in
                mutant("the bin from \(edge) above it", scale) {
                    $0.transform[step] = .bins(
                        bins.map { bin in
                            var bin = bin
                            if bin.range.from == edge { (bin.range.from, bin.range.above) = (nil, edge) }
                            if bin.range.below == edge { (bin.range.below, bin.range.upTo) = (nil, edge) }
                            return bin
                        })
                }
            }
        }
    }

    private static func swapInclusive(_ edge: Double, of scale: inout Scale) {
        for index in scale.bands.indices {
            let range = scale.bands[index].range
            if range.from == edge {
                (scale.bands[index].range.from, scale.bands[index].range.above) = (nil, edge)
            }
            if range.above == edge {
                (scale.bands[index].range.above, scale.bands[index].range.from) = (nil, edge)
            }
            if range.below == edge {
                (scale.bands[index].range.below, scale.bands[index].range.upTo) = (nil, edge)
            }
            if range.upTo == edge {
                (scale.bands[index].range.upTo, scale.bands[index].range.below) = (nil, edge)
            }
        }
    }

    private static func move(_ edge: Double, by step: Double, of scale: inout Scale) {
        for index in scale.bands.indices {
            for path: WritableKeyPath<ScoreRange, Double?> in [\.from, \.above, \.below, \.upTo]
            where scale.bands[index].range[keyPath: path] == edge {
                scale.bands[index].range[keyPath: path] = edge + step
            }
        }
    }

    /// Ignores missing items, and changes the required number by one.
    private func missing(of scale: Scale) -> [Mutant] {
        // A scale that an exclusion made null also excludes the scales that use it, regardless of the missing rule.
        let canBeMissing = scale.items.contains { name in
            items[name] != nil || key.scales.contains { $0.id == name && $0.missing != .exclude }
        }
        guard canBeMissing else { return [] }
        guard scale.items.count > 1, [.sum, .mean, .count, .minimum, .maximum].contains(scale.method) else {
            return []
        }
        var mutants: [Mutant] = []
        let isOfAnswered = [.mean, .minimum, .maximum].contains(scale.method)
        if scale.missing != .partial(needed: .count(1), remedy: .answered),
            !(isOfAnswered && scale.missing == .prorate(minimumAnswered: 1))
        {
            mutants.append(
                mutant("missing items swallowed", scale) {
                    $0.missing = .partial(needed: .count(1), remedy: .answered)
                })
        }
        switch scale.missing {
        case .prorate(let minimum):
            for other in [minimum - 1, minimum + 1] where (1...scale.items.count).contains(other) {
                mutants.append(
                    mutant("\(other) answers needed", scale) { $0.missing = .prorate(minimumAnswered: other) }
                )
            }
        case .partial(.count(let minimum), let remedy):
            for other in [minimum - 1, minimum + 1] where (1...scale.items.count).contains(other) {
                mutants.append(
                    mutant("\(other) answers needed", scale) {
                        $0.missing = .partial(needed: .count(other), remedy: remedy)
                    })
            }
        case .complete, .exclude:
            mutants.append(
                mutant("one missing item allowed", scale) {
                    $0.missing = .prorate(minimumAnswered: scale.items.count - 1)
                })
        case .partial(.share, _): break
        }
        return mutants
    }
}
