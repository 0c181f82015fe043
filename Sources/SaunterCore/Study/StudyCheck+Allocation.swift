extension StudyCheck {
    /// What the method needs, and nothing that it would pass over.
    mutating func checkAllocation() {
        let allocation = study.allocation
        if allocation.usesBlocks {
            checkBlocks()
        } else if !allocation.blockSizes.isEmpty {
            refuseUnused("/allocation/block_sizes", "Only methods of blocks have sizes.")
        }
        if allocation.usesFactors {
            checkFactors()
        } else if !allocation.factors.isEmpty {
            refuseUnused("/allocation/factors", "\(allocation.method.rawValue) looks at no factors.")
        }
        if allocation.method == .minimisation {
            checkMinimisation()
        } else if allocation.probability != nil {
            refuseUnused("/allocation/probability", "Only minimisation has a probability.")
        }
    }

    private mutating func refuseUnused(_ pointer: String, _ detail: String) {
        faults.add(pointer, "not_used", detail)
    }

    private mutating func checkBlocks() {
        let pointer = "/allocation/block_sizes"
        let shares = study.arms.reduce(0) { $0 + min(max($1.ratio, 0), 100) }
        if study.allocation.blockSizes.isEmpty {
            faults.add(pointer, "required", "An allocation has block sizes.")
        }
        for (index, size) in study.allocation.blockSizes.enumerated() {
            if !(1...BlockAllocator.maximumBlockSize).contains(size) {
                faults.add(
                    "\(pointer)/\(index)", "out_of_range",
                    "A block has 1 to \(BlockAllocator.maximumBlockSize) places.")
            } else if shares > 0, size % shares != 0 {
                faults.add(
                    "\(pointer)/\(index)", "not_a_multiple",
                    "A block size is a multiple of the sum of ratios, \(shares).")
            }
        }
    }

    private static let maximumStrata = 1000
    private static let maximumLevels = 50

    private mutating func checkFactors() {
        let factors = study.allocation.factors
        if factors.isEmpty {
            faults.add(
                "/allocation/factors", "required",
                "\(study.allocation.method.rawValue) needs something to even out.")
        }
        if factors.count > Minimiser.maximumFactors {
            faults.add(
                "/allocation/factors", "too_many", "At most \(Minimiser.maximumFactors) are looked at.")
        }
        var seen: Set<String> = []
        var strata = 1
        for (index, factor) in factors.enumerated() {
            let pointer = "/allocation/factors/\(index)"
            checkName(factor.code, "\(pointer)/code", &seen)
            if !(2...Self.maximumLevels).contains(factor.levels.count) {
                faults.add(
                    "\(pointer)/levels", "out_of_range", "A factor has 2 to \(Self.maximumLevels) levels.")
            }
            var levels: Set<String> = []
            for (place, level) in factor.levels.enumerated() {
                checkName(level, "\(pointer)/levels/\(place)", &levels)
            }
            if !(1...Minimiser.maximumWeight).contains(factor.weight) {
                faults.add(
                    "\(pointer)/weight", "out_of_range",
                    "A weight is a whole number from 1 to \(Minimiser.maximumWeight).")
            } else if factor.weight != 1, study.allocation.method != .minimisation {
                refuseUnused("\(pointer)/weight", "Only minimisation weighs factors.")
            }
            strata = min(
                strata * min(max(factor.levels.count, 1), Self.maximumStrata), Self.maximumStrata + 1)
        }
        if study.allocation.method == .stratifiedBlocks, strata > Self.maximumStrata {
            faults.add(
                "/allocation/factors", "too_many_strata",
                "There are more than \(Self.maximumStrata) strata; most would have one participant.")
        }
    }

    private mutating func checkName(_ name: String, _ pointer: String, _ seen: inout Set<String>) {
        if !Self.isIdentifier(name) { faults.add(pointer, "invalid_name", Self.identifierRule) }
        if !seen.insert(name).inserted { faults.add(pointer, "duplicate", "It is there already.") }
    }

    private mutating func checkMinimisation() {
        let pointer = "/allocation/probability"
        if let probability = study.allocation.probability {
            let even = 1 / Double(max(study.arms.count, 1))
            if !(probability > even && probability <= 1) && study.arms.count > 1 {
                faults.add(
                    pointer, "out_of_range", "It is more than an even chance of the arms, and at most 1.")
            }
        } else {
            faults.add(pointer, "required", "Minimisation says how likely the best arm is given.")
        }
        if Minimiser.commonMultiple(of: study.arms.map { min(max($0.ratio, 1), 100) }) == nil {
            faults.add(
                "/arms", "out_of_range",
                "The least common multiple of the ratios is larger than \(Minimiser.maximumMultiple).")
        }
    }
}
