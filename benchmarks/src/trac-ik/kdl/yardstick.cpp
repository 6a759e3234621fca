// The yardstick of the TRAC-IK protocol: KDL's Newton-Raphson with joint limits (ChainIkSolverPos_NR_JL), driven as the
// TRAC-IK paper's own test drives it (trac_ik_examples, ik_tests.cpp): one iteration a call, each from where the last one
// ended, until it says "reached" or the time is over. No restarts.
//
//   yardstick PROBLEMS ANSWERS
//
// PROBLEMS, whitespace between all: eps, time limit in ms, number of joints; for each joint a type (0 fixed, 1 turning), its
// frame in its parent (9 numbers of the rotation row by row, 3 of the position), axis, lower and upper limit;
// the start of each turning joint; the number of targets, each a frame of 12 numbers.
// ANSWERS: a line for each target: time in microseconds, then the angles.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <kdl/chain.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainiksolverpos_nr_jl.hpp>
#include <kdl/chainiksolvervel_pinv.hpp>

namespace {

KDL::Frame readFrame(std::istream& in) {
  double m[12];
  for (double& x : m) in >> x;
  return KDL::Frame(KDL::Rotation(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]),
                    KDL::Vector(m[9], m[10], m[11]));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: yardstick PROBLEMS ANSWERS\n";
    return 2;
  }
  std::ifstream in(argv[1]);
  double eps = 0, limit = 0;
  int joints = 0;
  in >> eps >> limit >> joints;

  KDL::Chain chain;
  std::vector<double> lower, upper;
  for (int j = 0; j < joints; ++j) {
    int type = 0;
    in >> type;
    const KDL::Frame origin = readFrame(in);
    double x, y, z, lo, hi;
    in >> x >> y >> z >> lo >> hi;
    if (type == 0) {
      chain.addSegment(KDL::Segment(KDL::Joint(KDL::Joint::None), origin));
      continue;
    }
    // As kdl_parser does it: the axis in the parent's frame, through the joint's origin.
    const std::string name = "joint" + std::to_string(j);
    chain.addSegment(KDL::Segment(
        KDL::Joint(name, origin.p, origin.M * KDL::Vector(x, y, z), KDL::Joint::RotAxis), origin));
    lower.push_back(lo);
    upper.push_back(hi);
  }
  const unsigned n = chain.getNrOfJoints();
  KDL::JntArray start(n), low(n), high(n), from(n), to(n);
  for (unsigned k = 0; k < n; ++k) {
    in >> start(k);
    low(k) = lower[k];
    high(k) = upper[k];
  }
  int targets = 0;
  in >> targets;
  std::vector<KDL::Frame> frames;
  for (int t = 0; t < targets; ++t) frames.push_back(readFrame(in));
  if (!in) {
    std::cerr << "yardstick: cannot read " << argv[1] << "\n";
    return 1;
  }

  KDL::ChainFkSolverPos_recursive forward(chain);
  KDL::ChainIkSolverVel_pinv velocity(chain);
  KDL::ChainIkSolverPos_NR_JL solver(chain, low, high, forward, velocity, 1, eps);
  using clock = std::chrono::steady_clock;
  std::FILE* out = std::fopen(argv[2], "w");
  if (out == nullptr) {
    std::cerr << "yardstick: cannot write " << argv[2] << "\n";
    return 1;
  }
  for (const KDL::Frame& frame : frames) {
    const auto begin = clock::now();
    double elapsed = 0;
    int code = -1;
    to = start;
    do {
      from = to;
      code = solver.CartToJnt(from, frame, to);
      elapsed = std::chrono::duration<double, std::micro>(clock::now() - begin).count();
    } while (code < 0 && elapsed < 1000 * limit);
    std::fprintf(out, "%.3f", elapsed);
    for (unsigned k = 0; k < n; ++k) std::fprintf(out, " %.17g", to(k));
    std::fprintf(out, "\n");
  }
  std::fclose(out);
  return 0;
}
