//===- Pipeline.cpp - A software pipeline ------------------------------------===//
#include "picture/Cells.h"
#include "picture/Draw.h"

#include <algorithm>

namespace gluonc::picture {

Picture drawPipeline(const Pipeline &pipeline) {
  unsigned last = 0;
  for (const Pipeline::Step &step : pipeline.steps)
    last = std::max(last, step.stage);
  // What the first stage loads lives until the last one has used it.
  const unsigned buffers = pipeline.buffers ? pipeline.buffers : last + 1,
                 slots = pipeline.iterations + last;
  Panel panel;
  panel.title = "steps against time";
  panel.columnAxis = "times round the loop, the prologue first";
  for (unsigned slot = 0; slot != slots; ++slot)
    panel.columnHeads.push_back(std::to_string(slot));
  for (unsigned buffer = 0; buffer != buffers; ++buffer)
    panel.groups.push_back("buffer " + std::to_string(buffer));
  for (const Pipeline::Step &step : pipeline.steps) {
    panel.rowHeads.push_back(step.name);
    panel.rows.emplace_back(slots);
    for (unsigned iteration = 0; iteration != pipeline.iterations; ++iteration) {
      Cell &cell = panel.rows.back()[iteration + step.stage];
      const unsigned buffer = iteration % buffers;
      cell.text = "i" + std::to_string(iteration);
      cell.detail = "buf " + std::to_string(buffer);
      cell.owner = cell.text;
      cell.element = cell.detail;
      cell.group = buffer;
      cell.title = step.name + " of iteration " + std::to_string(iteration) + " in buffer " +
                   std::to_string(buffer) + ", at time " + std::to_string(iteration + step.stage);
    }
  }
  Picture picture;
  picture.title = "software pipeline of " + std::to_string(last + 1) + " stages";
  picture.description = "Each column is a time round the loop, each row a step; cells name the "
                        "iteration that the step works for, and the buffer that it uses.";
  picture.notes.push_back(std::to_string(buffers) + " buffers; " + std::to_string(last) +
                          " iterations in the prologue, " + std::to_string(last) +
                          " in the epilogue.");
  picture.panels.push_back(std::move(panel));
  return picture;
}

} // namespace gluonc::picture
