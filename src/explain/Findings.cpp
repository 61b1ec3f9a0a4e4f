#include "explain/Findings.h"

#include "explain/Memory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

namespace gluonc::explain {

using diag::Kind;

namespace {

/// Bytes that a multiprocessor gets from the second-level cache in a cycle.
constexpr uint64_t cacheBytesOfCycle = 64;

std::string bytesText(int64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

class Search {
public:
  explicit Search(const Profile &profile) : profile(profile) {}

  std::vector<Finding> run() {
    for (const Site &site : profile.sites) {
      if (GlobalCount count = site.cost.global(); count.requests)
        findInGlobal(site, count);
      if (site.cost.shared.requests)
        findInShared(site);
    }
    for (const ConversionFact &fact : profile.facts.conversions)
      findInConversion(fact);
    for (const WaitFact &fact : profile.facts.waits)
      findInWait(fact);
    findInResources();
    auto rank = [](const Finding &finding) {
      return std::tuple(~finding.cycles, finding.diagnostic.span.begin, finding.diagnostic.kind);
    };
    llvm::sort(found, [&](const Finding &a, const Finding &b) { return rank(a) < rank(b); });
    return std::move(found);
  }

private:
  uint64_t cyclesOf(uint64_t sectors) const {
    return sectors * profile.sectorBytes() / cacheBytesOfCycle;
  }

  template <typename... Args>
  diag::Diagnostic &add(Kind kind, diag::Span span, uint64_t cycles, const Args &...args) {
    found.push_back({diag::make(kind, span, {diag::toText(args)...}), cycles});
    diag::Diagnostic &finding = found.back().diagnostic;
    labelCalls(finding, profile.facts.global);
    labelCalls(finding, profile.facts.shared);
    labelCalls(finding, profile.facts.exchanges);
    labelCalls(finding, profile.facts.conversions);
    labelCalls(finding, profile.facts.waits);
    return finding;
  }

  /// Says who calls the function that a finding is in.
  template <typename T> void labelCalls(diag::Diagnostic &finding, const std::vector<T> &facts) {
    for (const Fact &fact : facts) {
      if (fact.span.file != finding.span.file || fact.span.begin != finding.span.begin)
        continue;
      for (const diag::Span &call : fact.calls)
        if (llvm::none_of(finding.labels, [&](const diag::Label &label) {
              return label.span.file == call.file && label.span.begin == call.begin;
            }))
          finding.labels.push_back({call, "called from here"});
    }
  }

  // -- Global memory -------------------------------------------------------------

  void findInGlobal(const Site &site, const GlobalCount &count) {
    const GlobalFact *fact = findAt(profile.facts.global, site.span);
    // A share of what is wasted that is not worth a word.
    constexpr uint64_t smallShare = 8;
    uint64_t excess = count.sectors - count.idealSectors;
    bool isWasteful = excess * smallShare >= count.sectors && excess;
    // What a program asks for again in a few places, such as a length, is no loss.
    bool isRare = fact && fact->isScalar && site.earlier &&
                  count.requests * smallShare < profile.total.global().requests;
    if (count.repeats * 2 >= count.requests && count.repeats > 1 && !isRare)
      return repeated(site, count);
    if (fact && fact->isScalar)
      return scalar(site, count);
    if (isWasteful && count.misaligned * 2 >= count.requests)
      return misaligned(site, count);
    if (fact && isNarrow(*fact, count) && (!isWasteful || isSplit(*fact, count)))
      return narrow(site, *fact, count);
    if (isWasteful)
      return scattered(site, fact, count);
  }

  void repeated(const Site &site, const GlobalCount &count) {
    diag::Diagnostic &finding =
        add(Kind::RepeatedLoad, site.span, count.repeats + cyclesOf(count.sectors) / 2,
            count.repeats, count.requests);
    auto isHere = [&](diag::Span span) {
      return span.file == site.span.file && span.begin == site.span.begin;
    };
    if (!site.earlier)
      return finding.hints.push_back("load it once, before the loop, and keep it in registers");
    if (isHere(site.earlier))
      return finding.hints.push_back(
          "load it once and keep it in registers: before the loop, which "
          "was written out, or without the dim along which addresses "
          "are the same");
    finding.labels.push_back({site.earlier, "loaded here before"});
    finding.hints.push_back("use what " + lineText(site.earlier) + " has loaded");
  }

  void scalar(const Site &site, const GlobalCount &count) {
    // What a program reads once or twice, such as a length, has to be read.
    constexpr uint64_t fewTimes = 8;
    uint64_t warps = profile.ctas() * profile.resources.warps;
    bool isRare = count.requests * 8 < profile.total.global().requests;
    if (count.requests <= fewTimes * warps || isRare)
      return;
    unsigned element = std::max(count.bytesOfLane, 1u), run = std::max(16 / element, 1u);
    std::string layout = ", layout=gl.BlockedLayout([" + std::to_string(run) + "], [" +
                         std::to_string(profile.target.warpSize()) + "], [" +
                         std::to_string(profile.resources.warps) + "], [0])";
    add(Kind::ScalarAccess, site.span, count.requests + cyclesOf(count.sectors), count.requests,
        count.bytesOfLane)
        .hints.push_back("access a tensor of addresses, so that each thread has its own elements: "
                         "offsets by " +
                         language() + ".arange(0, BLOCK" +
                         (profile.facts.hasChosenLayouts ? "" : layout) + ")");
  }

  /// What functions of the kernel's language are called by.
  std::string language() const { return profile.facts.hasChosenLayouts ? "tl" : "gl"; }

  void misaligned(const Site &site, const GlobalCount &count) {
    uint64_t excess = count.sectors - count.idealSectors;
    add(Kind::MisalignedRun, site.span, cyclesOf(excess), excess, count.sectors)
        .hints.push_back(std::string("let the base and the rows begin at multiples of ") +
                         (profile.isAmd() ? "128 bytes" : "32 bytes, better 128") +
                         ": pad rows, or shift what a program works on");
  }

  static unsigned runOf(const GlobalFact &fact, const GlobalCount &count) {
    return std::max(count.bytesOfLane / std::max(fact.elementBytes, 1u), 1u);
  }
  static bool isNarrow(const GlobalFact &fact, const GlobalCount &count) {
    return runOf(fact, count) < fact.possibleRun;
  }
  /// Whether a thread's neighbours are accessed one after another.
  static bool isSplit(const GlobalFact &fact, const GlobalCount &count) {
    int64_t side = fact.layoutRun * fact.elementBytes;
    return count.stride && std::abs(*count.stride) == side && count.bytesOfLane < side;
  }

  void narrow(const Site &site, const GlobalFact &fact, const GlobalCount &count) {
    uint64_t enough = count.requests * runOf(fact, count) / fact.possibleRun;
    uint64_t excess = count.sectors - count.idealSectors;
    diag::Diagnostic &finding =
        add(Kind::NarrowAccess, site.span, count.requests - enough + cyclesOf(excess),
            count.bytesOfLane, fact.possibleRun * fact.elementBytes, count.requests,
            std::max<uint64_t>(enough, 1));
    // The compiler itself chooses narrow layouts for what it does not know.
    bool isKnown = std::min(fact.addressRun, fact.maskRun) >= fact.possibleRun;
    if (fact.layoutRun < fact.possibleRun && (isKnown || !profile.facts.hasChosenLayouts))
      suggestLayout(finding, fact.layout, fact.suggestion);
    if (fact.addressRun < fact.possibleRun)
      finding.hints.push_back(
          "the compiler does not know that addresses are multiples of 16 bytes" +
          onAccountOf(fact) + ": say so by " + language() + ".multiple_of");
    else if (fact.maskRun < fact.possibleRun)
      finding.hints.push_back("the mask may differ between the elements of one access" +
                              onAccountOf(fact) +
                              ": compare with a bound that is a multiple of 16, or say by " +
                              language() + ".multiple_of that it is one");
  }

  /// ", since `n` may be any number"
  static std::string onAccountOf(const GlobalFact &fact) {
    if (fact.unaligned.empty())
      return "";
    return ", since `" + llvm::join(fact.unaligned, "` and `") + "` may be any number";
  }

  void suggestLayout(diag::Diagnostic &finding, const std::string &layout,
                     const std::string &suggestion) {
    if (suggestion.empty())
      return;
    if (profile.facts.hasChosenLayouts)
      finding.hints.push_back("the compiler chose " + layout +
                              "; `gluonc lift` prints the kernel with its layouts, where gl." +
                              suggestion + " can be put");
    else
      finding.hints.push_back("gl." + suggestion + " in place of " + layout);
  }

  std::string patternOf(const GlobalCount &count) const {
    const std::string warp = profile.isAmd() ? "wave" : "warp";
    if (uint64_t bytes = count.usedBytes / count.pieces; bytes > count.bytesOfLane)
      return "a " + warp + " accesses pieces of " + bytesText(bytes);
    return "lanes of a " + warp +
           (count.stride ? " are " + bytesText(std::abs(*count.stride)) + " apart"
                         : " access unrelated addresses");
  }

  void scattered(const Site &site, const GlobalFact *fact, const GlobalCount &count) {
    uint64_t excess = count.sectors - count.idealSectors,
             moved = count.sectors * profile.sectorBytes();
    // Where a warp's lanes fill sectors already, masks or the data's shape leave them empty.
    bool isMendable = fact && !fact->suggestion.empty() &&
                      (isSplit(*fact, count) ||
                       fact->warpRun * fact->elementBytes < int64_t(profile.sectorBytes()));
    diag::Diagnostic &finding =
        add(isMendable ? Kind::UncoalescedAccess : Kind::StridedElements, site.span,
            cyclesOf(excess), moved - count.usedBytes, moved, patternOf(count));
    if (isMendable)
      return suggestLayout(finding, fact->layout, fact->suggestion);
    finding.hints.push_back("no layout mends that: let neighbouring elements lie side by side in "
                            "memory, or load all that lies between them and split it");
  }

  // -- Shared memory, layouts ------------------------------------------------------

  void findInShared(const Site &site) {
    const SharedCount &count = site.cost.shared;
    const SharedFact *buffer = findAt(profile.facts.shared, site.span);
    const ExchangeFact *exchange = findAt(profile.facts.exchanges, site.span);
    uint64_t excess = count.wavefronts - count.ideal;
    // Less than a quarter is the way of things where rows are padded.
    if (excess * 4 < count.ideal || !excess || (!buffer && !exchange))
      return;
    bool isMendable = buffer ? !profile.facts.hasChosenLayouts || !buffer->suggestion.empty()
                             : !exchange->suggestion.empty();
    // Where the kernel has little say, what takes twice as long and a hundredth of the work.
    bool isSmall = excess < count.ideal || excess * 100 < profile.total.instructions;
    if (!isMendable && isSmall)
      return;
    diag::Diagnostic &finding =
        add(Kind::BankConflicts, site.span, excess, count.wavefronts, count.ideal);
    if (!buffer)
      return suggestExchange(finding, *exchange);
    suggestLayout(finding, buffer->layout, buffer->suggestion);
    if (buffer->suggestion.empty())
      finding.hints.push_back(
          profile.facts.hasChosenLayouts
              ? "the compiler chose " + buffer->layout +
                    " and knows no better one; `gluonc lift` prints the kernel with its layouts"
              : "spread rows over the banks: a swizzled or padded shared layout");
  }

  void suggestExchange(diag::Diagnostic &finding, const ExchangeFact &fact) {
    suggestLayout(finding, fact.layout, fact.suggestion);
    if (!fact.suggestion.empty())
      finding.hints.push_back("there each warp has all along the dim, and nothing goes through "
                              "shared memory");
    else
      finding.hints.push_back(hintFor(fact));
  }

  static std::string hintFor(const ExchangeFact &fact) {
    switch (fact.cause) {
    case ExchangeFact::Cause::Combine:
      return "warps bring together what each has of the dim, from " + fact.layout +
             ": fewer warps along it exchange less";
    case ExchangeFact::Cause::Gather:
      return "neighbours along dim 0 lie side by side there, so lanes that want such want "
             "different "
             "banks; where a warp has all along the dim, and its result, shuffles do it";
    case ExchangeFact::Cause::Indices:
      return "indices decide which banks lanes want: those of neighbouring lanes had better differ "
             "by less than 32 words, or be the same";
    case ExchangeFact::Cause::Conversion:
      return "`gluonc layout '" + fact.layout + "' --shape " + fact.shape + " --to '" + fact.to +
             "'` shows who sends what to whom; a layout nearer to the other, or a swizzled buffer "
             "between them, sends it otherwise";
    case ExchangeFact::Cause::Other:
      break;
    }
    return "the compiler itself moves this from thread to thread";
  }

  static std::string reasonOf(const ConversionFact &fact) {
    switch (fact.cause) {
    case ConversionFact::Cause::None:
      return "";
    case ConversionFact::Cause::Invariant:
      return "its value is the same in each iteration";
    case ConversionFact::Cause::RoundTrip:
      return "the value comes from the layout that it goes back to";
    case ConversionFact::Cause::Carried:
      return "the loop carries the value in another layout than it works in";
    }
    return "";
  }
  std::string hintFor(const ConversionFact &fact) const {
    if (fact.cause == ConversionFact::Cause::Invariant)
      return "convert it before the loop";
    if (fact.cause == ConversionFact::Cause::RoundTrip)
      return "compute in " + fact.to + " all the time";
    return "carry it in " + fact.to + " and convert behind the loop";
  }

  void findInConversion(const ConversionFact &fact) {
    const Site *site = findAt(profile.sites, fact.span);
    bool isFree = fact.how == "identity" || fact.how == "registers";
    if (fact.cause == ConversionFact::Cause::None || isFree || !site)
      return;
    std::string how = fact.how == "shared" ? "shared memory" : "shuffles";
    add(Kind::NeedlessConversion, fact.span, site->cost.instructions + site->cost.shared.wavefronts,
        how, reasonOf(fact))
        .hints.push_back(hintFor(fact));
  }

  // -- Waits -----------------------------------------------------------------------

  static std::string lineText(diag::Span span) {
    return "line " + std::to_string(span.file->position(span.begin).line);
  }
  std::string hintFor(const WaitFact &fact) const {
    // Nobody wrote the waits of kernels whose layouts the compiler chose.
    if (profile.facts.hasChosenLayouts)
      return "let loads of the loop run ahead: num_stages of the launch or of tl.range; "
             "`--remarks` "
             "says which do not, and why";
    if (!fact.handedOver.empty())
      return "give " + fact.handedOver + " and its barriers two slots or more, so that the copy" +
             (fact.movable ? " of " + lineText(fact.movable) : "") +
             " goes on while this partition uses what came before";
    const std::string next = fact.movable ? " of " + lineText(fact.movable) : "";
    switch (fact.awaited) {
    case WaitFact::Awaited::Copies:
      return "issue the copy" + next + (fact.isInLoop ? " for the next iteration" : "") +
             " before this wait, into a buffer and with a barrier or group of its own";
    case WaitFact::Awaited::Products:
      return "issue the copies" + next + (fact.isInLoop ? " for the next iteration" : "") +
             " between the product and this wait";
    case WaitFact::Awaited::Loads:
    case WaitFact::Awaited::Stores:
      return "wait only before the buffer is written again: at the head of the loop, and behind it";
    }
    return "";
  }

  /// Whether the compiler could have let loads of loops run ahead: where it chose the layouts, for
  /// chips that it uses asynchronous copies of.
  bool canRunAhead() const { return profile.facts.hasChosenLayouts && !profile.isAmd(); }

  /// Loads that do not run ahead make products wait alone, too.
  bool isByLoads(const WaitFact &fact) const {
    return fact.awaited == WaitFact::Awaited::Products && canRunAhead() &&
           llvm::any_of(profile.facts.waits, [](const WaitFact &other) {
             return other.awaited == WaitFact::Awaited::Loads;
           });
  }

  void findInWait(const WaitFact &fact) {
    const Site *site = findAt(profile.sites, fact.span);
    if (!site || isByLoads(fact) || (fact.awaited == WaitFact::Awaited::Loads && !canRunAhead()))
      return;
    // About as long as memory takes; a wait takes a few instructions of each warp.
    constexpr uint64_t latency = 500, instructionsOfWait = 4;
    static constexpr const char *names[] = {"copies", "products", "stores", "loads"};
    const uint64_t times =
        site->cost.instructions / (instructionsOfWait * std::max(profile.resources.warps, 1u));
    diag::Diagnostic &finding =
        add(Kind::WaitAlone, fact.span, latency * std::max<uint64_t>(times, 1),
            std::string(names[unsigned(fact.awaited)]));
    if (fact.issue)
      finding.labels.push_back({fact.issue, "what it waits for begins here"});
    finding.hints.push_back(hintFor(fact));
  }

  // -- Resources -------------------------------------------------------------------

  void findInResources() {
    if (const auto &used = profile.resources.registers;
        used && used->spillStoreBytes + used->spillLoadBytes)
      spilled(*used);
    // With fewer warps than this nothing hides how long memory takes.
    constexpr unsigned fewPercent = 25;
    using Limit = target::OccupancyLimit;
    const auto &occupancy = profile.occupancy;
    if (!occupancy || occupancy->percent() >= fewPercent || profile.facts.hasAsynchronousWork)
      return;
    if (occupancy->isLimitedBy(Limit::Registers) || occupancy->isLimitedBy(Limit::SharedMemory))
      fewWarps(*occupancy);
  }

  /// Says where registers are short, and what is in them there.
  void labelPressure(diag::Diagnostic &finding) const {
    const Pressure &pressure = profile.pressure;
    if (!pressure.span)
      return;
    finding.labels.push_back(
        {pressure.span, "most values are live here: " + std::to_string(pressure.registers) +
                            (profile.isAmd() ? " vector registers" : " registers of PTX")});
    constexpr size_t most = 5;
    // One register is what an address or a counter takes.
    constexpr unsigned few = 2;
    size_t shown = 0;
    for (const Pressure::Value &value : pressure.values)
      if (value.span && value.registers > few && shown++ < most)
        finding.labels.push_back({value.span, textOf(value, profile.facts)});
  }

  /// Who holds shared memory where most of it is taken.
  void labelBuffers(diag::Diagnostic &finding) const {
    constexpr size_t most = 5;
    std::vector<const OnChipFact *> holders;
    for (const OnChipFact &fact : profile.facts.onChip)
      if (fact.isAtPeak && !fact.isTensorMemory && fact.span)
        holders.push_back(&fact);
    llvm::sort(holders, [](const OnChipFact *a, const OnChipFact *b) {
      return std::pair(b->bytes, a->offset) < std::pair(a->bytes, b->offset);
    });
    for (const OnChipFact *fact : llvm::ArrayRef(holders).take_front(most))
      finding.labels.push_back({fact->span, textOf(*fact)});
  }

  void spilled(const Resources::Registers &used) {
    uint64_t warps = profile.ctas() * profile.resources.warps;
    diag::Diagnostic &finding =
        add(Kind::SpilledRegisters, profile.facts.span,
            warps * (used.spillStoreBytes + used.spillLoadBytes) / sizeof(uint32_t), used.count,
            used.spillStoreBytes, used.spillLoadBytes);
    finding.hints.push_back("use smaller tiles, more warps, or a larger maxnreg");
    labelPressure(finding);
  }

  void fewWarps(const target::Occupancy &occupancy) {
    using Limit = target::OccupancyLimit;
    struct Want {
      std::string name, use;
      llvm::StringRef hint;
      void (Search::*label)(diag::Diagnostic &) const;
    };
    llvm::SmallVector<Want, 2> wants;
    if (occupancy.isLimitedBy(Limit::Registers))
      wants.push_back({std::string(nameOf(Limit::Registers)),
                       "a thread has " + std::to_string(profile.resources.registers->count),
                       "use smaller tiles, more warps for one tile, or maxnreg",
                       &Search::labelPressure});
    if (occupancy.isLimitedBy(Limit::SharedMemory))
      wants.push_back({std::string(nameOf(Limit::SharedMemory)),
                       "a CTA has " + std::to_string(profile.resources.sharedBytes) + " bytes",
                       "use smaller or fewer buffers, or let copies and products run ahead of the "
                       "threads",
                       &Search::labelBuffers});
    auto joined = [&](std::string Want::*text) {
      return wants.size() > 1 ? wants[0].*text + " and " + wants[1].*text : wants[0].*text;
    };
    diag::Diagnostic &finding = add(Kind::LowOccupancy, profile.facts.span, 0, occupancy.warps,
                                    occupancy.mostWarps, joined(&Want::name), joined(&Want::use));
    for (const Want &want : wants) {
      (this->*want.label)(finding);
      finding.hints.push_back(want.hint.str());
    }
  }

  const Profile &profile;
  std::vector<Finding> found;
};

} // namespace

std::string textOf(const OnChipFact &fact) {
  std::string text = fact.name.empty() ? "" : "`" + fact.name + "`, ";
  text += fact.what + ": " + bytesText(static_cast<int64_t>(fact.bytes)) + ", lines " +
          std::to_string(fact.firstLine) + " to " + std::to_string(fact.lastLine);
  return text;
}

std::string textOf(const Pressure::Value &value, const Facts &facts) {
  const ValueFact *fact = value.fact(facts);
  std::string text;
  if (fact && !fact->names.empty())
    text = "`" + llvm::join(fact->names, "`, `") + "`, ";
  if (fact)
    text += fact->type + (fact->layout.empty() ? "" : " in " + fact->layout) + ": ";
  return text + std::to_string(value.registers) + " registers";
}

std::vector<Finding> findWaste(const Profile &profile) { return Search(profile).run(); }

} // namespace gluonc::explain
