"""What MuJoCo or Pinocchio says of a robot's file, as JSON on stdout: robots.py mujoco|pin FILE."""

import json
import sys

import numpy as np


def flat(x):
    return np.asarray(x, dtype=float).ravel().tolist()


def of_mujoco(path):
    import mujoco

    spec = mujoco.MjSpec.from_file(path)
    # Frames and bodies stay as the file has them, so that they can be compared one by one.
    spec.compiler.fusestatic = False
    m = spec.compile()
    d = mujoco.MjData(m)

    def name(kind, i):
        return mujoco.mj_id2name(m, kind, i)

    bodies = []
    for i in range(m.nbody):
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, m.body_iquat[i])
        R = R.reshape(3, 3)
        bodies.append({
            "name": name(mujoco.mjtObj.mjOBJ_BODY, i),
            "mass": m.body_mass[i],
            "com": flat(m.body_ipos[i]),
            "inertia": flat(R @ np.diag(m.body_inertia[i]) @ R.T),
        })
    joints = []
    for j in range(m.njnt):
        a, q = m.jnt_dofadr[j], m.jnt_qposadr[j]
        joints.append({
            "name": name(mujoco.mjtObj.mjOBJ_JOINT, j),
            "type": int(m.jnt_type[j]),
            "body": int(m.jnt_bodyid[j]),
            "axis": flat(m.jnt_axis[j]),
            "limited": bool(m.jnt_limited[j]),
            "range": flat(m.jnt_range[j]),
            "damping": m.dof_damping[a],
            "frictionloss": m.dof_frictionloss[a],
            "stiffness": m.jnt_stiffness[j],
            "springref": m.qpos_spring[q],
            "ref": m.qpos0[q],
        })
    actuators = []
    for i in range(m.nu):
        actuators.append({
            "name": name(mujoco.mjtObj.mjOBJ_ACTUATOR, i),
            "gain": m.actuator_gainprm[i, 0],
            "bias": flat(m.actuator_biasprm[i, :3]),
            "gear": m.actuator_gear[i, 0],
            "ctrlrange": flat(m.actuator_ctrlrange[i]) if m.actuator_ctrllimited[i] else None,
            "forcerange": flat(m.actuator_forcerange[i]) if m.actuator_forcelimited[i] else None,
        })
    fields = []
    for i in range(m.nhfield):
        n = m.hfield_nrow[i] * m.hfield_ncol[i]
        data = m.hfield_data[m.hfield_adr[i]:m.hfield_adr[i] + n]
        fields.append({"size": flat(m.hfield_size[i]), "z": flat(data * m.hfield_size[i, 2])})
    rng = np.random.default_rng(1)
    states = []
    for k in range(4):
        mujoco.mj_resetData(m, d)
        if k == 0:
            # Every coordinate of a hinge or slide zero.
            for j in range(m.njnt):
                if m.jnt_type[j] in (2, 3):
                    d.qpos[m.jnt_qposadr[j]] = 0
        else:
            d.qpos[:] = rng.uniform(-0.7, 0.7, m.nq)
            mujoco.mj_normalizeQuat(m, d.qpos)
        mujoco.mj_forward(m, d)
        M = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, M)
        states.append({"q": flat(d.qpos), "p": flat(d.xpos), "quat": flat(d.xquat), "M": flat(M)})
    keys = [{"name": name(mujoco.mjtObj.mjOBJ_KEY, k), "q": flat(m.key_qpos[k])} for k in range(m.nkey)]
    return {"bodies": bodies, "joints": joints, "actuators": actuators, "fields": fields, "states": states,
            "keys": keys, "nv": m.nv}


def of_pin(path):
    import pinocchio as pin

    model = pin.buildModelFromUrdf(path)
    data = model.createData()
    joints = []
    for i in range(1, model.njoints):
        j = model.joints[i]
        joints.append({"name": model.names[i], "idx_q": j.idx_q, "idx_v": j.idx_v, "nq": j.nq,
                       "lower": model.lowerPositionLimit[j.idx_q], "upper": model.upperPositionLimit[j.idx_q],
                       "effort": model.effortLimit[j.idx_v]})
    rng = np.random.default_rng(2)
    states = []
    for k in range(4):
        angles = np.zeros(model.nv) if k == 0 else rng.uniform(-1, 1, model.nv)
        q = pin.integrate(model, pin.neutral(model), angles)
        M = pin.crba(model, data, q)
        M = np.triu(M) + np.triu(M, 1).T
        gravity = pin.computeGeneralizedGravity(model, data, q)
        pin.framesForwardKinematics(model, data, q)
        frames = {f.name: flat(data.oMf[i].homogeneous) for i, f in enumerate(model.frames)
                  if f.type == pin.FrameType.BODY}
        states.append({"angles": flat(angles), "M": flat(M), "gravity": flat(gravity), "frames": frames})
    links = {}
    # Links that Pinocchio merges: the whole of each joint, about its own centre.
    for i in range(1, model.njoints):
        I = model.inertias[i]
        links[model.names[i]] = {"mass": I.mass, "com": flat(I.lever), "inertia": flat(I.inertia)}
    return {"joints": joints, "states": states, "moved": links, "nv": model.nv,
            "total": sum(i.mass for i in model.inertias)}


if __name__ == "__main__":
    print(json.dumps({"mujoco": of_mujoco, "pin": of_pin}[sys.argv[1]](sys.argv[2])))
