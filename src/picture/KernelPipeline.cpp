//===- KernelPipeline.cpp - What a kernel does beside its threads ---------------===//
#include "picture/Draw.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace gluonc::picture {

namespace {

using Step = KernelPipeline::Step;
using Kind = Step::Kind;

const char *const kindNames[] = {
    "copy to the chip", "copy from the chip", "product", "read", "write", "wait", "arrive"};

class Drawer {
public:
  explicit Drawer(const KernelPipeline &kernel) : kernel(kernel) {}

  Picture draw() {
    Picture picture;
    picture.title = "pipeline of " + kernel.kernel;
    picture.description =
        "A column for each partition of the kernel, a row for each step that it takes; then who "
        "waits for whom, barriers and buffers.";
    unsigned row = 0;
    auto add = [&](Panel panel) {
      panel.row = row++;
      picture.panels.push_back(std::move(panel));
    };
    add(steps());
    if (llvm::any_of(kernel.memories, [](const auto &memory) { return memory.isBarrier; })) {
      if (kernel.partitions.size() > 1)
        add(waits());
      add(barriers());
    }
    if (llvm::any_of(kernel.memories, [](const auto &memory) { return !memory.isBarrier; }))
      add(buffers());
    for (const KernelPipeline::Loop &loop : kernel.loops)
      add(stages(loop, picture));
    return picture;
  }

private:
  std::string partitionText(unsigned number) const { return kernel.partitions[number].name; }
  std::string names(llvm::ArrayRef<unsigned> numbers) const {
    std::vector<std::string> list;
    for (unsigned number : numbers)
      if (!llvm::is_contained(list, kernel.memories[number].name))
        list.push_back(kernel.memories[number].name);
    return llvm::join(list, ", ");
  }

  std::string textOf(const Step &step) const {
    switch (step.kind) {
    case Kind::Copy:
      return "copy " + names(step.writes) +
             (step.arrives.empty() ? "" : " -> " + names(step.arrives));
    case Kind::CopyOut:
      return "copy out " + names(step.reads);
    case Kind::Product: {
      std::string text = "product";
      if (!step.reads.empty())
        text += " " + names(step.reads);
      return text + (step.arrives.empty() ? "" : " -> " + names(step.arrives));
    }
    case Kind::Read:
      return "read " + names(step.reads);
    case Kind::Write:
      return "write " + names(step.writes);
    case Kind::Wait:
      return "wait " + (step.waits.empty() ? step.awaited : names(step.waits));
    case Kind::Arrive:
      return "arrive " + names(step.arrives);
    }
    return "";
  }

  /// What a step is about: what else is about it lights up, too.
  std::string elementOf(const Step &step) const {
    for (const auto *list : {&step.waits, &step.arrives, &step.writes, &step.reads})
      if (!list->empty())
        return kernel.memories[list->front()].name;
    return step.awaited;
  }

  Panel steps() const {
    Panel panel;
    panel.title = "steps";
    panel.columnAxis = "partitions";
    panel.rowAxis = "in the order of the code";
    for (const KernelPipeline::Partition &partition : kernel.partitions)
      panel.columnHeads.push_back(
          partition.name + (partition.warps == 1 ? ", warp " : ", warps ") +
          std::to_string(partition.firstWarp) +
          (partition.warps == 1
               ? ""
               : " to " + std::to_string(partition.firstWarp + partition.warps - 1)));
    panel.groups.assign(std::begin(kindNames), std::end(kindNames));
    std::vector<size_t> next(kernel.partitions.size());
    for (const Step &step : kernel.steps) {
      const size_t row = next[step.partition]++;
      if (row == panel.rows.size()) {
        panel.rows.emplace_back(kernel.partitions.size());
        panel.rowHeads.push_back(std::to_string(row + 1));
      }
      Cell &cell = panel.rows[row][step.partition];
      cell.text = textOf(step);
      cell.detail = (step.times > 1 ? std::to_string(step.times) + " times, " : "") + "line " +
                    std::to_string(step.line) +
                    (step.loop ? ", loop " + std::to_string(step.loop) : "");
      cell.title = partitionText(step.partition) + ": " + cell.text + ", line " +
                   std::to_string(step.line) +
                   (step.loop ? ", in the loop of line " + std::to_string(step.loop) : "");
      cell.owner = "step " + std::to_string(row) + " of " + std::to_string(step.partition);
      cell.element = elementOf(step);
      cell.group = unsigned(step.kind);
    }
    return panel;
  }

  /// Who arrives at a barrier, or waits for it: "produce 93, 95".
  std::string whoText(unsigned memory, std::vector<unsigned> Step::*list) const {
    std::vector<std::string> parts;
    for (unsigned partition = 0; partition != kernel.partitions.size(); ++partition) {
      std::vector<uint32_t> lines;
      for (const Step &step : kernel.steps)
        if (step.partition == partition && llvm::is_contained(step.*list, memory) &&
            !llvm::is_contained(lines, step.line))
          lines.push_back(step.line);
      if (lines.empty())
        continue;
      std::string text = partitionText(partition) + " ";
      llvm::sort(lines);
      for (size_t i = 0; i != lines.size(); ++i)
        text += (i ? ", " : "") + std::to_string(lines[i]);
      parts.push_back(text);
    }
    return parts.empty() ? "-" : llvm::join(parts, "; ");
  }

  /// "load 1 1 0 0, multiply 0 0 1 1".
  std::string paritiesText(unsigned memory) const {
    constexpr size_t most = 12;
    std::vector<std::string> parts;
    for (const Step &step : kernel.steps) {
      if (!llvm::is_contained(step.waits, memory))
        continue;
      std::string text = partitionText(step.partition);
      for (unsigned parity : llvm::ArrayRef(step.parities).take_front(most))
        text += " " + std::to_string(parity);
      text += step.parities.empty() ? " ?" : step.parities.size() > most ? " …" : "";
      if (!llvm::is_contained(parts, text))
        parts.push_back(text);
    }
    return parts.empty() ? "-" : llvm::join(parts, "; ");
  }

  Panel waits() const {
    Panel panel;
    panel.title = "who waits for whom, by which barrier";
    panel.rowAxis = "who waits";
    panel.columnAxis = "for what it starts or does";
    panel.groups = {"does not wait", "waits"};
    for (unsigned waiting = 0; waiting != kernel.partitions.size(); ++waiting) {
      panel.rowHeads.push_back(partitionText(waiting));
      panel.columnHeads.push_back(partitionText(waiting));
      std::vector<Cell> &row = panel.rows.emplace_back();
      for (unsigned other = 0; other != kernel.partitions.size(); ++other) {
        Cell &cell = row.emplace_back();
        std::vector<unsigned> by;
        for (unsigned memory = 0; memory != kernel.memories.size(); ++memory)
          if (hasStep(waiting, memory, &Step::waits) && hasStep(other, memory, &Step::arrives))
            by.push_back(memory);
        cell.text = by.empty() ? "-" : names(by);
        cell.group = by.empty() ? 0 : 1;
        cell.title = partitionText(waiting) + (by.empty() ? " does not wait for " : " waits for ") +
                     partitionText(other) + (by.empty() ? "" : " by " + names(by));
        cell.owner = "waits " + std::to_string(waiting);
        cell.element = by.empty() ? "" : kernel.memories[by.front()].name;
      }
    }
    return panel;
  }

  bool hasStep(unsigned partition, unsigned memory, std::vector<unsigned> Step::*list) const {
    return llvm::any_of(kernel.steps, [&](const Step &step) {
      return step.partition == partition && llvm::is_contained(step.*list, memory);
    });
  }

  void addRow(Panel &panel, const KernelPipeline::Memory &memory,
              llvm::ArrayRef<std::string> texts) const {
    panel.rowHeads.push_back(memory.name);
    std::vector<Cell> &row = panel.rows.emplace_back();
    for (auto [head, text] : llvm::zip_equal(panel.columnHeads, texts)) {
      Cell &cell = row.emplace_back();
      cell.text = text;
      cell.title = memory.name + ", " + head + ": " + text;
      cell.owner = memory.name + head;
      cell.element = memory.name;
    }
  }

  Panel barriers() const {
    Panel panel;
    panel.title = "barriers";
    panel.columnHeads = {"slots", "arrivals of a phase", "arrive there, by line", "wait, by line",
                         "parities awaited, round by round"};
    panel.groups = {"barrier"};
    for (unsigned i = 0; i != kernel.memories.size(); ++i)
      if (const KernelPipeline::Memory &memory = kernel.memories[i]; memory.isBarrier)
        addRow(panel, memory,
               {std::to_string(memory.slots),
                memory.arrivals ? std::to_string(memory.arrivals) : "?", whoText(i, &Step::arrives),
                whoText(i, &Step::waits), paritiesText(i)});
    return panel;
  }

  Panel buffers() const {
    Panel panel;
    panel.title = "buffers";
    panel.columnHeads = {"what", "slots", "bytes", "written, by line", "read, by line"};
    panel.groups = {"buffer"};
    for (unsigned i = 0; i != kernel.memories.size(); ++i)
      if (const KernelPipeline::Memory &memory = kernel.memories[i]; !memory.isBarrier)
        addRow(panel, memory,
               {memory.what, std::to_string(memory.slots), std::to_string(memory.bytes),
                whoText(i, &Step::writes), whoText(i, &Step::reads)});
    return panel;
  }

  Panel stages(const KernelPipeline::Loop &loop, Picture &picture) const {
    Picture drawn = drawPipeline(loop.pipeline);
    Panel panel = std::move(drawn.panels.front());
    panel.title = "the loop of line " + std::to_string(loop.line) + ": steps against time";
    unsigned last = 0;
    for (const Pipeline::Step &step : loop.pipeline.steps)
      last = std::max(last, step.stage);
    picture.notes.push_back("The loop of line " + std::to_string(loop.line) + " copies " +
                            std::to_string(last) + " iterations ahead, into " +
                            std::to_string(loop.pipeline.buffers) + " buffers.");
    return panel;
  }

  const KernelPipeline &kernel;
};

} // namespace

Picture drawKernelPipeline(const KernelPipeline &kernel) { return Drawer(kernel).draw(); }

} // namespace gluonc::picture
