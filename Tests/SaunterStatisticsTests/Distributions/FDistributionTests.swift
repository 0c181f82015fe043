import Foundation
import Testing

@testable import SaunterStatistics

@Suite struct FDistributionTests {
    @Test(arguments: [1, 2, 7, 100, 1e4, 1e8, 1e12], [1e-6, 0.025, 0.5, 0.975, 0.999999])
    func `with two numerator degrees of freedom the quantile has a closed form`(below: Double, p: Double)
        throws
    {
        let quantile = try #require(FDistribution(2, below)).quantile(p)

        // Ten digits, but fewer above 1e8 degrees of freedom. 1 − p = (1 + 2f/m)^(−m/2).
        let wanted = below / 2 * expm1(-2 / below * log1p(-p))
        #expect((quantile / wanted - 1).magnitude < max(1e-9, below * 1e-17))
    }

    @Test(arguments: [0.3, 4, 50, 3e5, 1e9])
    func `the median of equal degrees of freedom is one`(freedom: Double) throws {
        #expect(agree(try #require(FDistribution(freedom, freedom)).quantile(0.5), 1))
    }

    @Test func `invalid degrees of freedom and probabilities are rejected`() throws {
        for freedom in [0, -1, .nan, .infinity, 1e13] as [Double] {
            #expect(FDistribution(freedom, 1) == nil)
            #expect(FDistribution(1, freedom) == nil)
        }
        let distribution = try #require(FDistribution(3, 4))
        for probability in [0, 1, -1, 2, .nan] as [Double] {
            #expect(throws: UndefinedStatistic.notFinite) { try distribution.quantile(probability) }
        }
    }
}
